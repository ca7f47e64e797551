import {
  orderedLanguages,
  orderedWords,
  orderFeatures,
  orderUnit,
  orderWeights,
} from "../../../../../shared/models/spoken-language/word-order.ts";
import type { CorpusLine } from "./corpus.ts";
import { pick, type Random, shuffled } from "./random.ts";

/** The words of the lines of one language and source, one line after the other in random order. */
type Passage = readonly string[];

const minWords = 4;
const maxWords = 15;
const rate = 0.15;
const decay = 1e-5;
/** Puts the features of a passage of ten words on the scale of a regression. */
const scale = 1 / 8;
const maxLevel = 127;

/** The lines of the languages from which order can be learned: sentences, not entries of a list of words. */
const sentencesOf = (lines: readonly CorpusLine[]): CorpusLine[] =>
  lines.filter(
    ({ split, language, text }) =>
      !split.startsWith("test") && orderedLanguages.includes(language) && orderedWords(text).length > 2,
  );

const passagesOf = (lines: readonly CorpusLine[], length: number, random: Random): Passage[] => {
  const groups = Map.groupBy(shuffled(lines, random), ({ language, source }) => `${language} ${source}`);
  return [...groups.values()].flatMap((group) => {
    const words = group.flatMap(({ text }) => orderedWords(text));
    const count = Math.floor(words.length / length);
    return Array.from({ length: count }, (_, index) => words.slice(index * length, (index + 1) * length));
  });
};

/** A passage whose words stay, and whose order does not; or words of its language that are drawn by their frequency, or evenly. */
const withoutOrder = (
  passage: Passage,
  { all, distinct }: { readonly all: readonly string[]; readonly distinct: readonly string[] },
  random: Random,
): Passage => {
  const kind = random();
  if (kind < 0.5) return shuffled(passage, random);
  return passage.map(() => pick(kind < 0.8 ? all : distinct, random));
};

/**
 * Trains the model of word order: a regression that distinguishes passages from the same words without their order. The same lines and
 * seed produce the same bytes.
 */
export const trainOrder = (corpus: readonly CorpusLine[], epochs: number, random: Random): Int8Array => {
  const lines = sentencesOf(corpus);
  const wordsOf = new Map(
    [...Map.groupBy(lines, ({ language }) => language)].map(([language, own]) => {
      const all = own.flatMap(({ text }) => orderedWords(text));
      return [language, { all, distinct: [...new Set(all)] }];
    }),
  );
  const weights = new Float64Array(orderWeights);
  const squares = new Float64Array(orderWeights).fill(1e-8);
  const learn = (passage: Passage, isOrdered: boolean): void => {
    const buckets = orderFeatures(passage);
    const sum = buckets.reduce((total, bucket) => total + (weights[bucket] ?? 0), 0) * scale;
    const error = 1 / (1 + Math.exp(-sum)) - Number(isOrdered);
    for (const bucket of buckets) {
      const gradient = error * scale + decay * (weights[bucket] ?? 0);
      squares[bucket] = (squares[bucket] ?? 0) + gradient ** 2;
      weights[bucket] = (weights[bucket] ?? 0) - (rate * gradient) / Math.sqrt(squares[bucket] ?? 1);
    }
  };
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const length = minWords + Math.floor(random() * (maxWords - minWords + 1));
    const passages = [...wordsOf].flatMap(([language, words]) =>
      passagesOf(
        lines.filter((line) => line.language === language),
        length,
        random,
      ).map((passage) => ({ passage, words })),
    );
    for (const { passage, words } of shuffled(passages, random)) {
      learn(passage, true);
      learn(withoutOrder(passage, words, random), false);
    }
  }
  return Int8Array.from(weights, (weight) =>
    Math.max(-maxLevel, Math.min(maxLevel, Math.round((weight * scale) / orderUnit))),
  );
};
