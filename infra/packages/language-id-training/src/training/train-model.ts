import type { Weights } from "../../../../../shared/language-id/weights-format.ts";
import { fitTemperature } from "./calibrate.ts";
import type { CorpusLine } from "./corpus.ts";
import { label, partition } from "./partition.ts";
import { quantise } from "./quantise.ts";
import { createRandom } from "./random.ts";
import { createSampler } from "./sampler.ts";
import { trainRegression } from "./softmax-regression.ts";

/** How much the training does. The defaults made the weights in the repository. */
export interface TrainingOptions {
  readonly sampleCount: number;
  readonly keptBuckets: number;
  readonly seed: number;
}

export const defaultOptions: TrainingOptions = { sampleCount: 2_560_000, keptBuckets: 70_000, seed: 1 };

/** The six languages alike, and everything else, which is far more varied, two and a half times as often. */
const classWeights = [1, 1, 1, 1, 1, 1, 2.5];

/**
 * Trains the model. The same lines and options give the same weights.
 *
 * @param lines the corpus; lines of other splits than `train` and `valid` are not looked at
 * @param phrases lines that are all trained on
 */
export const trainModel = (
  lines: readonly CorpusLine[],
  phrases: readonly CorpusLine[],
  options: TrainingOptions = defaultOptions,
): Weights => {
  const { training, development } = partition(lines);
  const draw = createSampler([...training, ...phrases.map(label)], classWeights);
  const regression = trainRegression(draw, options.sampleCount, createRandom(options.seed));
  const uncalibrated = quantise(regression, options.keptBuckets, 1);
  return { ...uncalibrated, temperature: fitTemperature(uncalibrated, development).temperature };
};
