import { readFileSync } from "node:fs";
import { normaliseStart } from "../language-id/normalise.ts";

/** The languages whose sentences the weights were trained with. ISO 639-3. */
export const orderedLanguages: readonly string[] = ["ach", "eng", "lgg", "lug", "nyn", "swa", "teo"];

/** How many weights there are, a signed byte each. */
export const orderWeights = 1 << 17;

/** One unit of a stored weight, in nats. */
export const orderUnit = 1 / 256;

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

const bucketOf = (feature: string): number => {
  let hash = fnvOffset;
  for (let at = 0; at < feature.length; at += 1) hash = Math.imul(hash ^ feature.charCodeAt(at), fnvPrime);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) & (orderWeights - 1);
};

/** The words of a text as the model reads them. */
export const orderedWords = (text: string): string[] => normaliseStart(text).split(" ").filter(Boolean);

/**
 * Returns the buckets of what neighbouring words show: how one ends and the next begins, and which follows which. Affixes agree in
 * these languages, so a sentence shows its order by them without knowing its words.
 */
export const orderFeatures = (words: readonly string[]): number[] =>
  words.flatMap((word, index) => {
    const next = words[index + 1];
    if (next === undefined) return [];
    const later = words[index + 2];
    return [
      `1${word.slice(-2)}|${next.slice(0, 2)}`,
      `2${word.slice(-3)}|${next.slice(0, 3)}`,
      `3${word}|${next.slice(0, 2)}`,
      `4${word.slice(0, 3)}|${next.slice(0, 2)}`,
      `5${word.slice(-2)}|${next}`,
      `6${word}|${next}`,
      `7${word.slice(0, 2)}|${next.slice(0, 2)}`,
      ...(later === undefined ? [] : [`8${word.slice(0, 2)}|${later.slice(0, 2)}`]),
      ...(word === next ? ["9"] : []),
    ].map(bucketOf);
  });

/** Returns how much more probable the words of a text are in this order than in any other, in nats; 0 for a language that is not known. */
export type WordOrder = (text: string, language: string) => number;

/** Creates the model from its weights. */
export const createWordOrder =
  (weights: Int8Array): WordOrder =>
  (text, language) => {
    if (!orderedLanguages.includes(language)) return 0;
    const sum = orderFeatures(orderedWords(text)).reduce(
      (total, bucket) => total + (weights[bucket] ?? 0),
      0,
    );
    return sum * orderUnit;
  };

export const orderWeightsFile = new URL("./word-order.bin", import.meta.url);

let shared: WordOrder | undefined;

/** Returns the process's model, whose weights are read at its first use: most requests name their language. */
export const wordOrderOnDemand: WordOrder = (text, language) => {
  shared ??= createWordOrder(new Int8Array(readFileSync(orderWeightsFile)));
  return shared(text, language);
};
