import { featureCapacity, writeFeatures } from "./features.ts";
import { type IdentifiableLanguage, type Identification, identifiableLanguages } from "./identification.ts";
import { normaliseStart } from "./normalise.ts";
import { classCount, decodeWeights, otherClass, type Weights, weightOfNibble } from "./weights.ts";

/** Scores a normalised text, not empty, for every class: its bias plus its features' weights, scaled by their number. */
export type Scorer = (normalised: string) => Float64Array;

const usualLength = 1000;

/** Creates a scorer. It reuses its working memory and keeps nothing of a text. */
export const createScorer = (weights: Weights): Scorer => {
  const weightOf = weightOfNibble(weights.maxWeight);
  const scores = new Float64Array(classCount);
  let buckets = new Int32Array(featureCapacity(usualLength));

  return (normalised) => {
    if (buckets.length < featureCapacity(normalised.length)) {
      buckets = new Int32Array(featureCapacity(normalised.length));
    }
    const count = writeFeatures(normalised, buckets);
    scores.fill(0);
    for (let index = 0; index < count; index++) {
      let word = weights.words[buckets[index] ?? 0] ?? 0;
      for (let classIndex = 0; word !== 0; classIndex++) {
        scores[classIndex] = (scores[classIndex] ?? 0) + (weightOf[word & 15] ?? 0);
        word >>>= 4;
      }
    }
    const scale = 1 / Math.sqrt(count);
    return scores.map((score, index) => score * scale + (weights.biases[index] ?? 0));
  };
};

/** A loaded model. It keeps no state between texts. */
export interface LanguageModel {
  /**
   * Identifies the language of a text by its first 1,000 code points. Takes any string and never throws; a text
   * without letters is in none of the six (`other` is 1, every language equally probable).
   */
  identify(text: string): Identification;
}

const withoutLetters: Identification = {
  language: "eng",
  confidence: 1 / identifiableLanguages.length,
  other: 1,
};

const softmax = (scores: Float64Array, temperature: number): Float64Array => {
  const highest = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  const powers = scores.map((score) => Math.exp((score - highest) / temperature));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
};

const interpret = (scores: Float64Array, temperature: number): Identification => {
  const amongSix = softmax(scores.subarray(0, identifiableLanguages.length), temperature);
  const amongAll = softmax(scores, temperature);
  let language: IdentifiableLanguage = identifiableLanguages[0];
  let confidence = 0;
  for (const [index, candidate] of identifiableLanguages.entries()) {
    const probability = amongSix[index] ?? 0;
    if (probability > confidence) {
      confidence = probability;
      language = candidate;
    }
  }
  return { language, confidence, other: amongAll[otherClass] ?? 0 };
};

/**
 * Loads the model from the bytes of `weights.bin`. Takes some milliseconds and half a megabyte: do it once per
 * process.
 * @throws Error when the bytes are not a weights file for this code
 */
export const loadLanguageModel = (compressed: Uint8Array): LanguageModel => {
  const weights = decodeWeights(compressed);
  const scoresOf = createScorer(weights);

  return {
    identify: (text) => {
      const normalised = normaliseStart(text);
      return normalised === "" ? withoutLetters : interpret(scoresOf(normalised), weights.temperature);
    },
  };
};
