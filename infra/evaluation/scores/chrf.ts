import { countMatches, countNgrams, totalNgrams } from "./count-ngrams.ts";
import { codePointsOf, splitAtSpaces } from "./words.ts";

const characterOrders = [1, 2, 3, 4, 5, 6];
const wordOrders = [1, 2];

/** Recall counts twice as much as precision. */
const squaredBeta = 2 ** 2;

const punctuation = new Set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");

/** A word without the mark at its end, or else at its start, and that mark. */
const separateMark = (word: string): string[] => {
  const characters = codePointsOf(word);
  const [first = "", last = ""] = [characters[0], characters.at(-1)];
  if (characters.length === 1) return [word];
  if (punctuation.has(last)) return [word.slice(0, -1), last];
  return punctuation.has(first) ? [first, word.slice(1)] : [word];
};

const partsOf = (text: string) => {
  const words = splitAtSpaces(text);
  return { characters: codePointsOf(words.join("")), words: words.flatMap(separateMark) };
};

/**
 * What chrF++ needs of one text: for each order of characters and then of words, the sequences of the output and of the
 * reference, and the matches. The sums over texts are the statistics of all of them.
 */
export const chrfStatistics = (output: string, reference: string): number[] => {
  const [parts, expected] = [partsOf(output), partsOf(reference)];
  const compare = (kind: "characters" | "words", separator: string) => (order: number) => {
    const [found, wanted] = [parts[kind], expected[kind]];
    const total = totalNgrams(wanted.length, order);
    return [
      // Without any in the reference, those of the output do not count.
      total === 0 ? 0 : totalNgrams(found.length, order),
      total,
      countMatches(countNgrams(found, order, separator), countNgrams(wanted, order, separator)),
    ];
  };
  return [
    ...characterOrders.flatMap(compare("characters", "")),
    ...wordOrders.flatMap(compare("words", " ")),
  ];
};

/**
 * chrF++ of a corpus, from 0 to 100, as sacreBLEU 2 defines chrF with a word order of 2: one reference, mixed case, without white
 * space, with the orders that both sides have.
 *
 * @param statistics sums of {@link chrfStatistics}
 */
export const chrfOf = (statistics: readonly number[]): number => {
  let [precision, recall, effectiveOrders] = [0, 0, 0];
  for (let start = 0; start < statistics.length; start += 3) {
    const [found = 0, wanted = 0, matches = 0] = statistics.slice(start, start + 3);
    if (found === 0 || wanted === 0) continue;
    precision += matches / found;
    recall += matches / wanted;
    effectiveOrders += 1;
  }
  if (precision + recall === 0) return 0;
  const factor = squaredBeta;
  return (100 * (1 + factor) * precision * recall) / ((factor * precision + recall) * effectiveOrders);
};
