import { isProduction, type SourceFile } from "../sources.ts";

/** A file, or a group of files, with its lines. */
export interface MeasuredLines {
  readonly path: string;
  readonly lines: number;
}

/** Files that may be longer than the others, each with the reason. */
export const longFileExceptions: Readonly<Record<string, string>> = {
  "shared/pages/view/style.css": "The console has one style sheet, so a browser loads one.",
};

const linesOf = (text: string): number => text.split("\n").length - 1;

/** Which paths are meant. */
type Choose = (path: string) => boolean;

const isCounted = (path: string): boolean => /\.(tsx?|css)$/.test(path);

/** The lines of all TypeScript and style sheets, with comments and empty lines. */
export const countLines = (files: readonly SourceFile[], isChosen: Choose): number =>
  files.reduce((sum, { path, text }) => (isCounted(path) && isChosen(path) ? sum + linesOf(text) : sum), 0);

const folderOf = (path: string): string => path.split("/").slice(0, -1).slice(0, 2).join("/");

/** The lines of code by folder of the second level, the largest first. */
export const linesByFolder = (
  files: readonly SourceFile[],
  isChosen: Choose = isProduction,
): MeasuredLines[] => {
  const folders = Map.groupBy(
    files.filter(({ path }) => isChosen(path)),
    ({ path }) => folderOf(path),
  );
  return [...folders]
    .map(([path, found]) => ({ path, lines: countLines(found, isChosen) }))
    .toSorted((one, other) => other.lines - one.lines);
};

/** The production files with more lines than a bound that are no exceptions, the longest first. */
export const longFiles = (files: readonly SourceFile[], bound: number): MeasuredLines[] =>
  files
    .filter(({ path }) => isCounted(path) && isProduction(path) && !longFileExceptions[path])
    .map(({ path, text }) => ({ path, lines: linesOf(text) }))
    .filter(({ lines }) => lines > bound)
    .toSorted((one, other) => other.lines - one.lines);
