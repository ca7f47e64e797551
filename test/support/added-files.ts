import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importRules, rooms } from "../architecture/import-rules.ts";
import { doubledExports } from "../house/doubled-exports.ts";
import { brokenLayers, brokenRules } from "../house/imports/check-rules.ts";
import { readImports } from "../house/imports/read-imports.ts";
import { fileRings, folderRings } from "../house/imports/rings.ts";
import { singleUsers } from "../house/imports/single-users.ts";
import { measureWords } from "../house/measure.ts";
import { isModule, isProduction, readRepository, sourceModule } from "../house/sources.ts";
import { namingPagePath } from "../house/words/naming-page.ts";

const root = join(import.meta.dirname, "../..");

/** The text of a file of this repository. */
export const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

/** The files of a folder of tests as they would be in a folder of the product. */
export const filesMovedTo = (folder: string, from: string): Map<string, string> => {
  const depth = (path: string) => "../".repeat(path.split("/").length);
  return new Map(
    readdirSync(join(root, from)).map((file) => [
      `${folder}/${file}`,
      textOf(`${from}/${file}`).replaceAll(`"${depth(from)}shared/`, `"${depth(folder)}shared/`),
    ]),
  );
};

/** Puts a line behind the first one that contains a text. @throws Error when there is none. */
export const withLineBehind = (path: string, text: string, line: string): [string, string] => {
  const lines = textOf(path).split("\n");
  const at = lines.findIndex((each) => each.includes(text));
  if (at < 0) throw new Error(`${path} has no "${text}".`);
  return [path, lines.toSpliced(at + 1, 0, line).join("\n")];
};

/** What the rules of imports and names find wrong with the product when it has these files as well, or instead. */
export const findingsWith = (added: ReadonlyMap<string, string>): string[] => {
  const { modules, paths } = readRepository(root);
  const changed = Array.from(added, ([path, text]) => sourceModule(path, text));
  const all = [
    ...modules.filter(({ path }) => isProduction(path) && !added.has(path)),
    ...changed.filter(({ path }) => isModule(path)),
  ];
  const known = new Set([...paths, ...added.keys()]);
  const imports = all.flatMap(readImports);
  const own = imports.filter(({ to }) => known.has(to));
  return [
    ...brokenRules(imports, importRules),
    ...brokenLayers(own, rooms),
    ...fileRings(own),
    ...folderRings(own),
    ...singleUsers(own).map(({ file, user }) => `Only ${user} uses ${file}.`),
    ...doubledExports(all).map(({ name, paths: twice }) => `${name}: ${twice.join(", ")}`),
    ...measureWords(textOf(namingPagePath), changed).items,
  ];
};

/** The files in the first column of a table of CONTRIBUTING.md, below its heading. */
export const filesListedBelow = (heading: string): string[] => {
  const [, section = ""] = textOf("CONTRIBUTING.md").split(`### ${heading}\n`);
  const [table = ""] = section.split(/\n#+ /);
  return Array.from(table.matchAll(/^\| `([^`]+)`/gm), ([, file = ""]) => file);
};

/** The modules of the product that import something in a folder, from outside of it. */
export const importersOf = (folder: string): string[] => {
  const { modules } = readRepository(root);
  const imports = modules.filter(({ path }) => isProduction(path)).flatMap(readImports);
  const outside = imports.filter(({ from, to }) => to.startsWith(folder) && !from.startsWith(folder));
  return [...new Set(outside.map(({ from }) => from))].toSorted();
};
