import { bucketBits } from "../../../../../shared/models/language-id/features.ts";
import { maxSparseLevel, type SparseWeights } from "../../../../../shared/models/source-language/weights.ts";
import type { Regression } from "./softmax-regression.ts";

/** A few extreme weights are cut at this quantile, so that the fifteen levels serve the many. */
const clippedQuantile = 0.9995;

/** The softmax sees only differences between classes. With the median as zero, most weights of a bucket are close to it. */
const centre = ({ weights, biases, use }: Regression): Float32Array => {
  const classCount = biases.length;
  const centred = new Float32Array(weights.length);
  use.forEach((used, bucket) => {
    if (used === 0) return;
    const offset = bucket * classCount;
    const ofBucket = weights.subarray(offset, offset + classCount);
    const median = ofBucket.toSorted()[classCount >> 1] ?? 0;
    ofBucket.forEach((weight, index) => {
      centred[offset + index] = weight - median;
    });
  });
  return centred;
};

const levelOf = (weight: number, largest: number): number =>
  Math.sign(weight) * Math.round(Math.sqrt(Math.min(1, Math.abs(weight) / largest)) * maxSparseLevel);

const quantileOf = (weights: readonly number[]): number => {
  const sizes = Float64Array.from(weights, Math.abs).toSorted();
  return sizes[Math.floor(sizes.length * clippedQuantile)] ?? 1;
};

/**
 * Reduces a regression to its strongest weights, and these to fifteen levels.
 *
 * @param storedWeights how many weights remain: those with the largest size times the square root of their bucket's use. The size
 * alone would include words of a single line, and exclude those that identify new words.
 */
export const prune = (regression: Regression, storedWeights: number): SparseWeights => {
  const { biases, use } = regression;
  const classCount = biases.length;
  const centred = centre(regression);
  const candidates: number[] = [];
  centred.forEach((weight, at) => {
    if (weight !== 0) candidates.push(at);
  });
  const strengths = Float64Array.from(
    candidates,
    (at) => Math.abs(centred[at] ?? 0) * Math.sqrt(use[Math.floor(at / classCount)] ?? 0),
  );
  const minStrength = strengths.toSorted().at(-storedWeights) ?? 0;
  const strong = candidates.filter((_, index) => (strengths[index] ?? 0) >= minStrength);
  const maxWeight = quantileOf(strong.map((at) => centred[at] ?? 0));
  const counts = new Uint8Array(1 << bucketBits);
  const classes: number[] = [];
  const levels: number[] = [];
  for (const at of strong) {
    const level = levelOf(centred[at] ?? 0, maxWeight);
    if (level === 0) continue;
    const bucket = Math.floor(at / classCount);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    classes.push(at % classCount);
    levels.push(level + maxSparseLevel);
  }
  return { counts, classes: Uint8Array.from(classes), levels: Uint8Array.from(levels), maxWeight, biases };
};
