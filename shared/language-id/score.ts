import { featureCapacity, writeFeatures } from "./features.ts";
import { classCount, type Weights, weightOfNibble } from "./weights-format.ts";

/** Scores a normalised text, not empty, for every class: its bias plus its features' weights, scaled by their number. */
export type Scorer = (normalised: string) => Float64Array;

const usualLength = 1000;

/** Makes the scorer of some weights. It reuses its working memory, and keeps nothing of a text. */
export const createScorer = (weights: Weights): Scorer => {
  const weightOf = weightOfNibble(weights.largestWeight);
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
