import { bucketBits } from "../../../../../shared/models/language-id/features.ts";
import { classCount, maxLevel, type Weights } from "../../../../../shared/models/language-id/weights.ts";
import type { Regression } from "./softmax-regression.ts";

/** Smaller weights become zero: they cost room and change no result. */
const minWeight = 0.2;
/** A few extreme weights are cut at this quantile, so that the fifteen levels serve the many. */
const clippedQuantile = 0.9995;

/** The softmax sees only differences between classes, so each bucket's weights may be centred on zero. */
const centre = (weights: Float32Array): Float32Array => {
  const centred = new Float32Array(weights.length);
  for (let offset = 0; offset < weights.length; offset += classCount) {
    const bucket = weights.subarray(offset, offset + classCount);
    const mean = bucket.reduce((sum, weight) => sum + weight, 0) / classCount;
    bucket.forEach((weight, index) => {
      centred[offset + index] = weight - mean;
    });
  }
  return centred;
};

const levelOf = (weight: number, largest: number): number => {
  if (Math.abs(weight) < minWeight) return 0;
  const share = Math.min(1, Math.abs(weight) / largest);
  return Math.sign(weight) * Math.round(Math.sqrt(share) * maxLevel);
};

/**
 * Shrinks a regression to four bits a weight.
 *
 *
 * @param storedBuckets how many buckets keep their weights: those with the largest weight times the square root of
 * their use. The weight alone would include words of a single line, and exclude those that identify new words.
 */
export const quantise = (
  { weights, biases, use }: Regression,
  storedBuckets: number,
  temperature: number,
): Weights => {
  const centred = centre(weights);
  const strengths = Float64Array.from({ length: 1 << bucketBits }, (_, bucket) => {
    const ofBucket = centred.subarray(bucket * classCount, (bucket + 1) * classCount);
    const largest = ofBucket.reduce((strongest, weight) => Math.max(strongest, Math.abs(weight)), 0);
    return largest * Math.sqrt(use[bucket] ?? 0);
  });
  const minStrength = strengths.toSorted().at(-storedBuckets) ?? 0;
  const sizes = centred
    .filter((weight) => weight !== 0)
    .map(Math.abs)
    .toSorted();
  const maxWeight = sizes[Math.floor(sizes.length * clippedQuantile)] ?? 1;

  const words = new Uint32Array(1 << bucketBits);
  strengths.forEach((strength, bucket) => {
    if (strength < minStrength) return;
    let word = 0;
    for (let classIndex = classCount - 1; classIndex >= 0; classIndex--) {
      word = (word << 4) | (levelOf(centred[bucket * classCount + classIndex] ?? 0, maxWeight) & 15);
    }
    words[bucket] = word;
  });
  return { words, maxWeight, biases, temperature };
};
