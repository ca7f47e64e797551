import { readFileSync } from "node:fs";
import type { SourceMap, SourceOrigin } from "node:module";

/**
 * Why not Node's `--enable-source-maps`: every start would read the map, which is larger than the bundle, for a stack that is
 * hardly ever logged (`npm run bench -- cold`).
 */

/** The folder with the files of the bundle, of which this module is a part; the module's own where nothing is bundled. */
const folder = new URL(".", import.meta.url).href;

/** The map of each file of the bundle that a stack has named; `undefined` where there is none. */
const maps = new Map<string, SourceMap | undefined>();

const readMap = (file: string): SourceMap | undefined => {
  try {
    // Loaded on first use: hardly any environment needs it.
    const nodeModule = process.getBuiltinModule("node:module");
    return new nodeModule.SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`, folder), "utf8")));
  } catch {
    return undefined;
  }
};

const mapOf = (file: string): SourceMap | undefined => {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
};

/** The line of the source for a line of a stack that names one of the bundle; other lines are as they were. */
const sourceLineOf = (line: string): string => {
  const at = line.lastIndexOf(folder);
  const position = at === -1 ? "" : line.slice(at + folder.length);
  const [named, file, row, column] = /^([\w-]+\.mjs):(\d+):(\d+)/.exec(position) ?? [];
  if (named === undefined || file === undefined) return line;
  const { fileName, lineNumber, columnNumber }: Partial<SourceOrigin> =
    mapOf(file)?.findOrigin(Number(row), Number(column)) ?? {};
  if (fileName === undefined) return line;
  const source = fileName.replace(/^(\.\.\/)+/, "");
  return line.replace(folder + named, () => `${source}:${lineNumber}:${columnNumber}`);
};

/** Replaces positions in the bundle by positions in the sources, in the lines of a stack. */
export const sourceLines = (stack: string): string[] =>
  stack
    .split("\n")
    // The stack begins with the message.
    .filter((line) => /^\s+at /.test(line))
    .map(sourceLineOf);
