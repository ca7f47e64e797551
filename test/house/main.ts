/** biome-ignore-all lint/suspicious/noConsole: a program prints. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findWordsIn } from "./words/find-words.ts";
import { readNamingPage } from "./words/naming-page.ts";

const own = join(import.meta.dirname, "../..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { root: { type: "string", default: own }, list: { type: "string" }, help: { type: "boolean" } },
});

const usage = `node test/house/main.ts [--root DIR] --list words [folder or file …]
Prints each retired word as file:line, with the words around it and what to write instead.`;

const namingPage = "shared/platform/naming.md";

const main = (): number => {
  if (values.help || values.list !== "words") {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  const root = resolve(values.root);
  const page = readNamingPage(
    readFileSync(join(existsSync(join(root, namingPage)) ? root : own, namingPage), "utf8"),
  );
  const paths = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...positionals],
    {
      cwd: root,
      encoding: "utf8",
    },
  )
    .split("\n")
    .filter((path) => path && path !== namingPage && existsSync(join(root, path)));
  const findings = findWordsIn(page, root, paths);
  for (const { path, line, word, around, write } of findings) {
    console.log(`${path}:${line}  ${word}  [${around}]  →  ${write}`);
  }
  console.log(`${findings.length} retired words in ${new Set(findings.map(({ path }) => path)).size} files`);
  return findings.length === 0 ? 0 : 1;
};

process.exitCode = main();
