import {
  bucketBits,
  featureCapacity,
  writeFeatures,
} from "../../../../../shared/models/language-id/features.ts";
import type { Random } from "./random.ts";
import type { Sample } from "./sampler.ts";

/** The trained weights: the weight of class `c` in bucket `b` is `weights[b * classCount + c]`. */
export interface Regression {
  readonly weights: Float32Array;
  readonly biases: Float32Array;
  /** How much each bucket took part: over all samples, the sum of the scale that its weights were multiplied by. */
  readonly use: Float64Array;
}

const learningRate = 0.5;
const biasLearningRate = 0.05;
const weightDecay = 1e-7;
/** In 7 samples of 10, each feature is left out with this probability, so that no single word decides alone. */
const featureDropout = 0.2;
const dropoutShare = 0.7;

const dropSome = (buckets: Int32Array, count: number, random: Random): number => {
  if (random() >= dropoutShare) return count;
  let remaining = 0;
  for (let index = 0; index < count; index++) {
    if (random() >= featureDropout) buckets[remaining++] = buckets[index] ?? 0;
  }
  return remaining === 0 ? count : remaining;
};

/** Turns scores into probabilities, in place. */
const toProbabilities = (scores: Float64Array): void => {
  const highest = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  let total = 0;
  for (let index = 0; index < scores.length; index++) {
    const power = Math.exp((scores[index] ?? 0) - highest);
    scores[index] = power;
    total += power;
  }
  for (let index = 0; index < scores.length; index++) scores[index] = (scores[index] ?? 0) / total;
};

/** What learning keeps: the regression, and for AdaGrad the sum of the squares of each gradient so far. */
interface Learner extends Regression {
  readonly squares: Float32Array;
  readonly biasSquares: Float32Array;
}

const createLearner = (classCount: number): Learner => ({
  weights: new Float32Array(classCount << bucketBits),
  squares: new Float32Array(classCount << bucketBits).fill(1e-6),
  biases: new Float32Array(classCount),
  use: new Float64Array(1 << bucketBits),
  biasSquares: new Float32Array(classCount).fill(1e-6),
});

/** Writes the score of every class for the features in `buckets`. */
const score = (learner: Learner, buckets: Int32Array, scale: number, scores: Float64Array): void => {
  const { weights, biases } = learner;
  const classCount = scores.length;
  scores.fill(0);
  for (const bucket of buckets) {
    for (let index = 0; index < classCount; index++) {
      scores[index] = (scores[index] ?? 0) + (weights[bucket * classCount + index] ?? 0);
    }
  }
  for (let index = 0; index < classCount; index++) {
    scores[index] = (scores[index] ?? 0) * scale + (biases[index] ?? 0);
  }
};

/**
 * Moves biases and weights of the classes in `active` against the gradients. `remaining` falls from 1 to 0 during training.
 */
const descend = (
  learner: Learner,
  buckets: Int32Array,
  scale: number,
  gradients: Float64Array,
  active: readonly number[],
  remaining: number,
): void => {
  const { weights, squares, biases, biasSquares, use } = learner;
  const classCount = gradients.length;
  for (const index of active) {
    const gradient = gradients[index] ?? 0;
    const square = (biasSquares[index] ?? 0) + gradient * gradient;
    biasSquares[index] = square;
    biases[index] = (biases[index] ?? 0) - (biasLearningRate * remaining * gradient) / Math.sqrt(square);
  }
  for (const bucket of buckets) {
    use[bucket] = (use[bucket] ?? 0) + scale;
    for (const index of active) {
      const at = bucket * classCount + index;
      const weight = weights[at] ?? 0;
      const gradient = (gradients[index] ?? 0) * scale + weightDecay * weight;
      const square = (squares[at] ?? 0) + gradient * gradient;
      squares[at] = square;
      weights[at] = weight - (learningRate * remaining * gradient) / Math.sqrt(square);
    }
  }
};

/** How much is learned, and of how many classes. */
export interface RegressionOptions {
  readonly classCount: number;
  /** How many samples to learn from; of seven classes, two and a half million take about a minute. */
  readonly sampleCount: number;
  /**
   * A class whose probability is closer to the truth than this learns nothing from a sample. With many classes, nearly all are,
   * and training takes a third of the time. By default all learn.
   */
  readonly minGradient?: number;
}

/**
 * Multinomial logistic regression by stochastic gradient descent with AdaGrad step sizes, which decay to zero. The
 * score of a class is its bias plus the sum of its features' weights over the square root of their number.
 *
 * @param draw returns the samples
 */
export const trainRegression = (
  draw: (random: Random) => Sample,
  { classCount, sampleCount, minGradient = 0 }: RegressionOptions,
  random: Random,
): Regression => {
  const learner = createLearner(classCount);
  const classes = Array.from({ length: classCount }, (_, index) => index);
  const gradients = new Float64Array(classCount);
  let memory = new Int32Array(featureCapacity(2000));

  for (let step = 0; step < sampleCount; step++) {
    const { text, classIndex } = draw(random);
    if (text === "") continue;
    if (memory.length < featureCapacity(text.length)) memory = new Int32Array(featureCapacity(text.length));
    const count = dropSome(memory, writeFeatures(text, memory), random);
    const buckets = memory.subarray(0, count);
    const scale = 1 / Math.sqrt(count);
    score(learner, buckets, scale, gradients);
    toProbabilities(gradients);
    gradients[classIndex] = (gradients[classIndex] ?? 0) - 1;
    const active = classes.filter((index) => Math.abs(gradients[index] ?? 0) >= minGradient);
    descend(learner, buckets, scale, gradients, active, 1 - step / sampleCount);
  }
  return learner;
};
