import {
  minCalibratedRecordings,
  minCalibratedWords,
} from "../../../functions/site/quality/calibration-rows.ts";
import { readCurve } from "../../../shared/models/inference/confidence.ts";
import type {
  CalibratedSignal,
  CalibrationCheck,
} from "../../../shared/platform/catalogue/stage-catalogue.ts";

/** A word that a model heard. */
export interface Sample {
  /** How sure the model was, 0 to 1. */
  readonly score: number;
  readonly isRight: boolean;
  /** The recording that it is from. */
  readonly recording: string;
}

/** Words with similar scores. */
interface Block {
  readonly scores: number;
  readonly right: number;
  readonly count: number;
}

/** The share of a block that is right, as if one more word were right and one more wrong: a few words prove little. */
const shareOf = ({ right, count }: Block): number => (right + 1) / (count + 2);

const joined = (one: Block, other: Block): Block => ({
  scores: one.scores + other.scores,
  right: one.right + other.right,
  count: one.count + other.count,
});

const maxBlocks = 50;
const minBlockWords = 10;

/** Divides words by their scores. Those with equal scores stay together. */
const blocksOf = (samples: readonly Sample[]): Block[] => {
  const size = Math.max(minBlockWords, Math.ceil(samples.length / maxBlocks));
  const blocks: Block[] = [];
  let last: number | undefined;
  for (const { score, isRight } of samples.toSorted((one, other) => one.score - other.score)) {
    const word = { scores: score, right: Number(isRight), count: 1 };
    const open = blocks.at(-1);
    if (open && (open.count < size || score === last)) blocks[blocks.length - 1] = joined(open, word);
    else blocks.push(word);
    last = score;
  }
  return blocks;
};

type Points = NonNullable<CalibratedSignal["curve"]>;

const round = (value: number): number => Number(value.toFixed(4));

/**
 * Fits a curve that never falls (isotonic regression, by the pool adjacent violators algorithm). Our own: no maintained npm package has
 * it.
 *
 * @returns `undefined` when the scores do not even rise together with what is right.
 */
export const fitIsotonic = (samples: readonly Sample[]): Points | undefined => {
  const pooled: Block[] = [];
  for (const block of blocksOf(samples)) {
    let last = block;
    for (let before = pooled.at(-1); before && shareOf(before) >= shareOf(last); before = pooled.at(-1)) {
      pooled.pop();
      last = joined(before, last);
    }
    pooled.push(last);
  }
  const points = pooled
    .map((block) => [round(block.scores / block.count), round(shareOf(block))] as const)
    .filter(([score], index, all) => score > (all[index - 1]?.[0] ?? -1));
  return points.length < 2 ? undefined : points;
};

const folds = 5;

/** A word with the confidence of a curve that was fitted on other recordings, and the share of those that is right. */
interface Predicted extends Sample {
  readonly confidence: number;
  readonly usual: number;
}

const predict = (samples: readonly Sample[]): Predicted[] => {
  const recordings = [...new Set(samples.map(({ recording }) => recording))].toSorted();
  const foldOf = new Map(recordings.map((recording, index) => [recording, index % folds]));
  return Array.from({ length: folds }, (_, fold) => {
    const isIn = ({ recording }: Sample): boolean => foldOf.get(recording) === fold;
    const others = samples.filter((sample) => !isIn(sample));
    const usual = (others.filter(({ isRight }) => isRight).length + 1) / (others.length + 2);
    const points = fitIsotonic(others);
    return samples.filter(isIn).map((sample) => {
      const confidence = points ? readCurve(points, sample.score) : usual;
      return { ...sample, confidence, usual };
    });
  }).flat();
};

const bands = 10;

/** Of what is marked within each tenth, how much is right. */
const checksOf = (predicted: readonly Predicted[]): CalibrationCheck[] =>
  Array.from({ length: bands }, (_, index) => {
    const [from, to] = [index / bands, (index + 1) / bands];
    const within = predicted.filter(
      ({ confidence }) => Math.min(bands - 1, Math.floor(confidence * bands)) === index,
    );
    return { from, to, count: within.length, right: within.filter(({ isRight }) => isRight).length };
  }).filter(({ count }) => count > 0);

/** How many standard errors the gain must be above none: a score without information gets there in 2 of 100 cases at most. */
const minStandardErrors = 2;

/** Whether confidences come closer to what is right than the usual share does, in recordings that they were not fitted on (Brier score). */
const hasInformation = (predicted: readonly Predicted[]): boolean => {
  const gains = [...Map.groupBy(predicted, ({ recording }) => recording).values()].map((words) =>
    words.reduce((sum, { confidence, usual, isRight }) => {
      const truth = Number(isRight);
      return sum + (usual - truth) ** 2 - (confidence - truth) ** 2;
    }, 0),
  );
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
  const variance = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / (gains.length - 1);
  return mean > minStandardErrors * Math.sqrt(variance / gains.length);
};

/** Fits how often words are right by their scores; without a curve when there are too few, or the scores say nothing about it. */
export const fitCurve = (samples: readonly Sample[]): CalibratedSignal => {
  const recordings = new Set(samples.map(({ recording }) => recording)).size;
  const none = { words: samples.length, curve: null, checks: [] };
  if (samples.length < minCalibratedWords || recordings < minCalibratedRecordings) return none;
  const predicted = predict(samples);
  const curve = hasInformation(predicted) ? fitIsotonic(samples) : undefined;
  return curve ? { words: samples.length, curve, checks: checksOf(predicted) } : none;
};
