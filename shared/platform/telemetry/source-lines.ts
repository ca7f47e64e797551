import { readFileSync } from "node:fs";
import type { SourceMap, SourceOrigin } from "node:module";

/**
 * Why not Node's `--enable-source-maps`: every start would read the map, which is larger than the bundle, for a stack that is
 * hardly ever logged (`npm run bench -- cold`).
 */

/** The file that this module is part of: the bundle, or itself where nothing is bundled. */
const bundle = import.meta.url;

/** `undefined` until it is needed, `null` if there is none. */
let map: SourceMap | null | undefined;

const readMap = (): SourceMap | null => {
  try {
    // Loaded on first use: hardly any environment needs it.
    const nodeModule = process.getBuiltinModule("node:module");
    return new nodeModule.SourceMap(JSON.parse(readFileSync(new URL(`${bundle}.map`), "utf8")));
  } catch {
    return null;
  }
};

/** The line of the source for a line of a stack that names one of the bundle; other lines are as they were. */
const sourceLineOf = (line: string): string => {
  const at = line.lastIndexOf(bundle);
  const [, row, column] = /^:(\d+):(\d+)/.exec(line.slice(at + bundle.length)) ?? [];
  if (at === -1 || row === undefined || column === undefined) return line;
  map ??= readMap();
  const { fileName, lineNumber, columnNumber }: Partial<SourceOrigin> =
    map?.findOrigin(Number(row), Number(column)) ?? {};
  if (fileName === undefined) return line;
  const source = fileName.replace(/^(\.\.\/)+/, "");
  const position = `${bundle}:${row}:${column}`;
  return line.replace(position, () => `${source}:${lineNumber}:${columnNumber}`);
};

/** Replaces positions in the bundle by positions in the sources, in the lines of a stack. */
export const sourceLines = (stack: string): string[] =>
  stack
    .split("\n")
    // The stack begins with the message.
    .filter((line) => /^\s+at /.test(line))
    .map(sourceLineOf);
