import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** One line of text whose language is known. */
export interface CorpusLine {
  /** `train` and `valid` may be learned from; every split that starts with `test` is held out. */
  readonly split: string;
  /** The source's code: ISO 639-3, in some sources ISO 639-1. */
  readonly language: string;
  /** Where the line comes from: the card of the model, `shared/models/language-id/README.md`, lists the sources. */
  readonly source: string;
  readonly text: string;
}

const columns = "split\tlang\tsource\ttext";

const filesUnder = (path: string): readonly string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => /\.tsv(\.gz)?$/.test(name))
        .sort()
        .map((name) => join(path, name))
    : [path];

const readLines = (path: string): readonly CorpusLine[] => {
  const bytes = readFileSync(path);
  const [header, ...rows] = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").split("\n");
  if (header !== columns)
    throw new Error(`${path} does not start with the columns split, lang, source, text.`);
  return rows
    .filter((row) => row !== "")
    .map((row, index) => {
      const [split, language, source, text, ...rest] = row.split("\t");
      if (
        split === undefined ||
        language === undefined ||
        source === undefined ||
        text === undefined ||
        rest.length
      ) {
        throw new Error(`${path}, line ${index + 2}: expected four columns.`);
      }
      return { split, language, source, text };
    });
};

/**
 * Reads corpora: tab-separated files, gzipped or not, with the columns split, lang, source and text.
 *
 * @param paths files, or folders whose `.tsv` and `.tsv.gz` files are read in the order of their names
 * @throws Error when no path is given, or a file has another form
 */
export const readCorpus = (paths: readonly string[]): readonly CorpusLine[] => {
  const files = paths.flatMap(filesUnder);
  if (files.length === 0)
    throw new Error("Name a folder with .tsv or .tsv.gz files, or the files themselves.");
  return files.flatMap(readLines);
};

/**
 * Greetings and common phrases, which the corpora lack: they are written language, and people greet first. Written by
 * hand; the other languages teach the model to reject foreign greetings.
 */
export const readPhrases = (): readonly CorpusLine[] =>
  readFileSync(new URL("./phrases.tsv", import.meta.url), "utf8")
    .split("\n")
    .filter((row) => row !== "")
    .map((row, index) => {
      const [language, text, ...rest] = row.split("\t");
      if (language === undefined || text === undefined || rest.length) {
        throw new Error(`phrases.tsv, line ${index + 1}: expected a language and a phrase.`);
      }
      return { split: "train", language, source: "phrases", text };
    });
