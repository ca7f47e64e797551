import { undescribedFolders, wordsOf } from "./documents.ts";
import { doubledExports } from "./doubled-exports.ts";
import { type Import, readImports } from "./imports/read-imports.ts";
import { fileRings, folderRings } from "./imports/rings.ts";
import { boundOf, lineBounds } from "./sizes/bounds.ts";
import { countLines, linesByFolder, longFiles } from "./sizes/files.ts";
import { longFunctions } from "./sizes/functions.ts";
import { isPackage, isProduction, isTest, type Repository, type SourceFile } from "./sources.ts";
import { WordSearch } from "./words/find-words.ts";
import { readNamingPage } from "./words/naming-page.ts";

/** A figure of the code, with its bound. */
export interface Measure {
  /** The name for `--list`. */
  readonly list: string;
  readonly title: string;
  readonly figure: number;
  readonly bound: number;
  /** What the figure counts, one line each, the worst first. */
  readonly items: readonly string[];
}

/** Whether a figure is larger than its bound. */
export const isBeyond = ({ figure, bound }: Measure): boolean => figure > bound;

/** The largest allowed figures. */
export const bounds = {
  productionLines: boundOf(lineBounds.production),
  functionLines: 40,
  longFunctions: 60,
  maxFunctionLines: 100,
  fileLines: 300,
  readmeWords: 1_300,
  readmeBytes: 8_000,
} as const;

const counted = (list: string, title: string, items: readonly string[], bound = 0): Measure => ({
  list,
  title,
  figure: items.length,
  bound,
  items,
});

const measureImports = (imports: readonly Import[], known: ReadonlySet<string>): Measure[] => {
  const own = imports.filter(({ to }) => known.has(to));
  return [
    counted("rings", "Rings between folders, types included", folderRings(own)),
    counted("file-rings", "Rings of modules, types included", fileRings(own)),
  ];
};

const measureSizes = ({ modules, files }: Repository): Measure[] => {
  const functions = longFunctions(modules, bounds.functionLines).map(
    ({ path, line, name, ownLines }) => [ownLines, `${ownLines} lines  ${path}:${line}  ${name}`] as const,
  );
  const tooLong = functions.filter(([ownLines]) => ownLines > bounds.maxFunctionLines);
  const lines = ({ path, lines }: { path: string; lines: number }) => `${lines} lines  ${path}`;
  return [
    {
      list: "lines",
      title: "Lines of production code",
      figure: countLines(files, isProduction),
      bound: bounds.productionLines,
      items: linesByFolder(files).map(lines),
    },
    {
      list: "lines-with-packages",
      title: "Lines of production code with infra/packages/",
      figure: countLines(files, (path) => isProduction(path) || isPackage(path)),
      bound: boundOf(lineBounds.productionWithPackages),
      items: linesByFolder(files, isPackage).map(lines),
    },
    {
      list: "test-lines",
      title: "Lines of tests",
      figure: countLines(files, isTest),
      bound: boundOf(lineBounds.tests),
      items: linesByFolder(files, isTest).map(lines),
    },
    counted(
      "functions",
      `Functions longer than ${bounds.functionLines} lines`,
      functions.map(([, text]) => text),
      bounds.longFunctions,
    ),
    counted(
      "longest-functions",
      `Functions longer than ${bounds.maxFunctionLines} lines`,
      tooLong.map(([, text]) => text),
    ),
    counted(
      "files",
      `Files longer than ${bounds.fileLines} lines`,
      longFiles(files, bounds.fileLines).map(lines),
    ),
  ];
};

/**
 * The retired words in files.
 *
 * @param naming the text of the naming page.
 */
export const measureWords = (naming: string, files: readonly SourceFile[]): Measure => {
  const search = new WordSearch(readNamingPage(naming));
  const findings = files.flatMap((file) => search.find(file));
  return counted(
    "words",
    "Retired words in names and in what people read",
    findings.map(
      ({ path, line, word, around, write }) => `${path}:${line}  ${word}  [${around}]  →  ${write}`,
    ),
  );
};

const measureDocuments = ({ paths, files }: Repository): Measure[] => {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const readme = texts.get("README.md") ?? "";
  const readmeMeasure = (list: string, title: string, figure: number, bound: number): Measure => ({
    list,
    title,
    figure,
    bound,
    items: [`README.md: ${figure}`],
  });
  return [
    readmeMeasure("readme-words", "Words of README.md", wordsOf(readme), bounds.readmeWords),
    readmeMeasure("readme-bytes", "Bytes of README.md", Buffer.byteLength(readme), bounds.readmeBytes),
    counted(
      "undescribed",
      "Folders of shared/ that no README describes",
      undescribedFolders(paths, (path) => texts.get(path) ?? ""),
    ),
  ];
};

/**
 * All figures of a repository.
 *
 * @param naming the text of the naming page.
 */
export const measure = (repository: Repository, naming: string): Measure[] => {
  const { paths, files, modules } = repository;
  return [
    ...measureImports(modules.flatMap(readImports), new Set(paths)),
    ...measureSizes(repository),
    counted(
      "exports",
      "Names that two production modules export",
      doubledExports(modules).map(({ name, paths }) => `${name}: ${paths.join(", ")}`),
    ),
    measureWords(naming, files),
    ...measureDocuments(repository),
  ];
};
