/**
 * `npm run house`: prints the figures of the code, each with its bound, and fails beyond one of them.
 *
 * Usage: npm run house -- [--root FOLDER] [--list NAME [path …]]
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isBeyond, type Measure, measure, measureWords } from "./measure.ts";
import { readRepository } from "./sources.ts";
import { namingPagePath } from "./words/naming-page.ts";

const usage = `Prints the figures of the code, each with its bound, and exits with 1 when one is beyond it.

npm run house                          all figures, and what is beyond a bound
npm run house -- --list functions      everything that a figure counts
npm run house -- --list words shared   the retired words below a folder, or in a file
npm run house -- --root FOLDER         the figures of another work tree

Lists: rings, file-rings, lines, lines-with-packages, test-lines, functions, longest-functions, files, exports, words, readme-words, readme-bytes,
undescribed. The words come from ${namingPagePath}.
`;

/** How many lines a figure beyond its bound prints; `--list` prints all. */
const maxPrinted = 15;

const own = join(import.meta.dirname, "../..");
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const number = (value: number): string => value.toLocaleString("en").padStart(8);

const printFigures = (measures: readonly Measure[]): void => {
  const width = Math.max(...measures.map(({ title }) => title.length));
  print(`${"".padEnd(width)}  ${"figure".padStart(8)} ${"at most".padStart(8)}`);
  for (const found of measures) {
    const { title, figure, bound } = found;
    print(`${title.padEnd(width)}  ${number(figure)} ${number(bound)}${isBeyond(found) ? "  FAILED" : ""}`);
  }
};

const printOffenders = ({ list, title, items }: Measure): void => {
  print(`\n${title}:`);
  for (const item of items.slice(0, maxPrinted)) print(`  ${item}`);
  if (items.length > maxPrinted) {
    print(`  … ${items.length - maxPrinted} more: npm run house -- --list ${list}`);
  }
};

const readNaming = (root: string): string =>
  readFileSync(join(existsSync(join(root, namingPagePath)) ? root : own, namingPagePath), "utf8");

const isBelowAny = (path: string, folders: readonly string[]): boolean =>
  folders.length === 0 ||
  folders.some((folder) => path === folder || path.startsWith(`${folder.replace(/\/$/, "")}/`));

/** Prints all that a figure counts. @returns the exit code. */
const printList = (root: string, list: string, folders: readonly string[]): number => {
  const repository = readRepository(root);
  const isWords = list === "words";
  const files = isWords ? repository.files.filter(({ path }) => isBelowAny(path, folders)) : [];
  const found = isWords
    ? measureWords(readNaming(root), files)
    : measure(repository, readNaming(root)).find((measured) => measured.list === list);
  if (!found) {
    process.stderr.write(`There is no list "${list}".\n\n${usage}`);
    return 2;
  }
  for (const item of found.items) print(item);
  print(`${found.title}: ${found.figure}`);
  return isBeyond(found) ? 1 : 0;
};

const main = (): number => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      root: { type: "string", default: own },
      list: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    print(usage);
    return 0;
  }
  const root = resolve(values.root);
  if (values.list !== undefined) return printList(root, values.list, positionals);
  const measures = measure(readRepository(root), readNaming(root));
  printFigures(measures);
  const beyond = measures.filter(isBeyond);
  for (const found of beyond) printOffenders(found);
  return beyond.length === 0 ? 0 : 1;
};

// A reader such as `head` closes the pipe when it has enough.
process.stdout.once("error", () => process.exit());
process.exitCode = main();
