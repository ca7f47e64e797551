import { featureCapacity, writeFeatures } from "../language-id/features.ts";
import { normaliseStart } from "../language-id/normalise.ts";
import { detectableLanguages, minProbability, modelledLanguages, sourceClassCount } from "./languages.ts";
import {
  decodeSparseWeights,
  maxSparseLevel,
  readSparseWeights,
  type SparseWeights,
  weightOfLevel,
} from "./weights.ts";

/** The language of a text. */
export interface DetectedLanguage {
  /** ISO 639-3. */
  readonly code: string;
  /** From 0.95 to 1. */
  readonly probability: number;
}

/** Returns the probability of each class for a text in the form of `normalise`, not empty. */
export type ClassProbabilities = (normalised: string) => Float64Array;

const usualLength = 1000;

const toProbabilities = (scores: Float64Array): Float64Array => {
  const max = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  const powers = scores.map((score) => Math.exp(score - max));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
};

/** Creates the model itself, without thresholds. It reuses its working memory and keeps nothing of a text. */
export const createClassProbabilities = (weights: SparseWeights): ClassProbabilities => {
  const { counts, classes, levels, maxWeight, biases } = weights;
  const weightOf = Float64Array.from({ length: 2 * maxSparseLevel + 1 }, (_, index) =>
    weightOfLevel(index - maxSparseLevel, maxWeight),
  );
  const starts = new Uint32Array(counts.length + 1);
  for (let bucket = 0; bucket < counts.length; bucket++) {
    starts[bucket + 1] = (starts[bucket] ?? 0) + (counts[bucket] ?? 0);
  }
  const sums = new Float64Array(sourceClassCount);
  let buckets = new Int32Array(featureCapacity(usualLength));

  return (normalised) => {
    if (buckets.length < featureCapacity(normalised.length)) {
      buckets = new Int32Array(featureCapacity(normalised.length));
    }
    const count = writeFeatures(normalised, buckets);
    sums.fill(0);
    for (let index = 0; index < count; index++) {
      const bucket = buckets[index] ?? 0;
      const end = starts[bucket + 1] ?? 0;
      for (let entry = starts[bucket] ?? 0; entry < end; entry++) {
        const classIndex = classes[entry] ?? 0;
        sums[classIndex] = (sums[classIndex] ?? 0) + (weightOf[levels[entry] ?? 0] ?? 0);
      }
    }
    const scale = 1 / Math.sqrt(count);
    return toProbabilities(sums.map((sum, index) => sum * scale + (biases[index] ?? 0)));
  };
};

/** Detects the language of texts to translate. It keeps no state between texts. */
export interface SourceLanguageDetector {
  /**
   * Detects the language of a text by its first 1,000 code points. Takes any string.
   *
   * @returns `undefined` when the model is not sure, and for languages whose results are not reliable.
   */
  detect(text: string): DetectedLanguage | undefined;
}

const isDetectable = (code: string): boolean => detectableLanguages.some((language) => language === code);

/**
 * Loads the model. Takes some milliseconds and a megabyte: do it once per process.
 *
 * @throws Error when the bytes are not a weights file for this code.
 */
export const loadSourceLanguageDetector = (stored: Uint8Array): SourceLanguageDetector => {
  const probabilitiesOf = createClassProbabilities(decodeSparseWeights(stored));
  return {
    detect: (text) => {
      const normalised = normaliseStart(text);
      if (normalised === "") return undefined;
      const probabilities = probabilitiesOf(normalised);
      const index = probabilities.findIndex((each) => each >= minProbability);
      const code = modelledLanguages[index];
      return code !== undefined && isDetectable(code)
        ? { code, probability: probabilities[index] ?? 0 }
        : undefined;
    },
  };
};

let shared: SourceLanguageDetector | undefined;

/** Returns the process's detector, which is loaded at its first use: most requests name their source language. */
export const sourceLanguageDetectorOnDemand = (): SourceLanguageDetector => ({
  detect: (text) => {
    shared ??= loadSourceLanguageDetector(readSparseWeights());
    return shared.detect(text);
  },
});
