import type { AccuracyRow } from "./measurements.ts";

/** The least macro accuracy by length, 0 to 1, in-domain and out-of-domain alike: what the weights in use reach. */
const minAccuracy: ReadonlyMap<string, number> = new Map([
  ["3-10", 0.87],
  ["11-20", 0.96],
  ["21-50", 0.984],
]);
const minUnseenAccuracy: ReadonlyMap<string, number> = new Map([["3-10", 0.83]]);

/** A sentence for each row that is below its target. */
const missedBy = (
  rows: readonly AccuracyRow[],
  targets: ReadonlyMap<string, number>,
  kind: string,
): readonly string[] =>
  rows.flatMap(({ domain, bucket, macro }) => {
    const min = targets.get(bucket);
    return min === undefined || (macro !== undefined && macro >= min)
      ? []
      : [`${domain}, ${bucket} characters${kind}: accuracy is below ${100 * min}%.`];
  });

const maxLoadMilliseconds = 60;
const maxMicroseconds = 25;
const maxFileBytes = 300_000;

/** What the targets are compared with. */
export interface Measurements {
  /** On every held-out text: none is left out. */
  readonly accuracy: readonly AccuracyRow[];
  /** On those that occur in no training line of their language. */
  readonly unseenAccuracy: readonly AccuracyRow[];
  /** A text, by length, once warm. */
  readonly microseconds: ReadonlyMap<string, number>;
  readonly loadMilliseconds: number;
  readonly fileBytes: number;
}

/** Sentences that name each target the measurements miss; none when the model is fit to be released. */
export const missedTargets = (measurements: Measurements): readonly string[] => {
  const { accuracy, unseenAccuracy, microseconds, loadMilliseconds, fileBytes } = measurements;
  const slow = [...microseconds]
    .filter(([, time]) => time > maxMicroseconds)
    .map(([bucket]) => `${bucket} characters: a text takes longer than ${maxMicroseconds} µs.`);
  return [
    ...missedBy(accuracy, minAccuracy, ""),
    ...missedBy(unseenAccuracy, minUnseenAccuracy, ", unseen"),
    ...slow,
    ...(loadMilliseconds > maxLoadMilliseconds
      ? [`Loading takes longer than ${maxLoadMilliseconds} ms.`]
      : []),
    ...(fileBytes > maxFileBytes ? [`The weights file is larger than ${maxFileBytes} bytes.`] : []),
  ];
};
