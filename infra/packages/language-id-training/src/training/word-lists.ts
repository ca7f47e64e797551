import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { normalise } from "../../../../../shared/models/language-id/normalise.ts";
import type { Random } from "./random.ts";

/** The words of a language, and how often each occurs. */
export interface WordList {
  readonly languages: readonly string[];
  readonly words: readonly string[];
  /** For each word, the sum of its own weight and those of all words before it. */
  readonly cumulative: Float64Array;
}

/** The files of UNILEX that are named by the code of their language. */
const namedByLanguage = (
  "ach adh alz gwr kdi kdj keo kpz laj lgg lsm luc mhi myx nuj nyn teo tlj xog" as const
).split(" ");

/** The files of UNILEX that the model is trained on, and their languages. */
const files: ReadonlyMap<string, readonly string[]> = new Map([
  ...namedByLanguage.map((code): [string, string[]] => [code, [code]]),
  ["rw", ["kin"]],
  ["sw", ["swa"]],
  // Runyoro and Rutooro share one written language, so its words belong to either.
  ["nyo", ["nyo", "ttj"]],
]);

/** Names begin with a capital letter, and do not show a language. In some languages words begin with an apostrophe. */
const isWord = (form: string): boolean => /^['’ʼ]?\p{Ll}/u.test(form);

/** Frequent words are drawn more often than rare ones, but not as much as in a text: rare ones need practice too. */
const frequencyPower = 0.6;

const readWordList = (path: string, languages: readonly string[]): WordList => {
  const words: string[] = [];
  const cumulative: number[] = [];
  for (const row of readFileSync(path, "utf8").split("\n")) {
    const [form = "", frequency = ""] = row.split("\t");
    const word = normalise(form);
    if (!isWord(form) || word === "" || !/^\d+$/.test(frequency)) continue;
    words.push(word);
    cumulative.push((cumulative.at(-1) ?? 0) + Number(frequency) ** frequencyPower);
  }
  if (words.length === 0) throw new Error(`${path} has no words.`);
  return { languages, words, cumulative: Float64Array.from(cumulative) };
};

/**
 * Reads word lists of UNILEX, of the form `word, tab, frequency`.
 *
 * @param folder its `data/frequency`; files that are missing are passed over
 */
export const readWordLists = (folder: string): readonly WordList[] =>
  [...files].flatMap(([name, languages]) => {
    const path = join(folder, `${name}.txt`);
    return existsSync(path) ? [readWordList(path, languages)] : [];
  });

const drawWord = ({ words, cumulative }: WordList, random: Random): string => {
  const wanted = random() * (cumulative.at(-1) ?? 0);
  let [low, high] = [0, words.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulative[middle] ?? 0) > wanted) high = middle;
    else low = middle + 1;
  }
  return words[low] ?? "";
};

const minWords = 3;
const maxWords = 12;

/** Draws some words. Their order means nothing, but no feature of the model is longer than a word. */
export const drawWords = (list: WordList, random: Random): string => {
  const count = minWords + Math.floor(random() * (maxWords - minWords + 1));
  return Array.from({ length: count }, () => drawWord(list, random)).join(" ");
};
