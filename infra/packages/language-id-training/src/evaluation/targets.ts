import type { AccuracyRow } from "./measurements.ts";

/** The least macro accuracy by length, 0 to 1, in-domain and out-of-domain alike: what the weights in use reach. */
const leastAccuracy: ReadonlyMap<string, number> = new Map([
  ["3-10", 0.87],
  ["11-20", 0.96],
  ["21-50", 0.984],
]);
const leastUnseenAccuracy: ReadonlyMap<string, number> = new Map([["3-10", 0.83]]);

/** A sentence for each row that is below its target. */
const missedBy = (
  rows: readonly AccuracyRow[],
  targets: ReadonlyMap<string, number>,
  kind: string,
): readonly string[] =>
  rows.flatMap(({ domain, bucket, macro }) => {
    const least = targets.get(bucket);
    return least === undefined || (macro !== undefined && macro >= least)
      ? []
      : [`${domain}, ${bucket} characters${kind}: accuracy is below ${100 * least} %.`];
  });

const mostLoadMilliseconds = 60;
const mostMicroseconds = 25;
const mostFileBytes = 300_000;

/** What the targets are compared with. */
export interface Measurements {
  /** On every held-out text: none is left out. */
  readonly accuracy: readonly AccuracyRow[];
  /** On those that stand in no training line of their language. */
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
    .filter(([, time]) => time > mostMicroseconds)
    .map(([bucket]) => `${bucket} characters: a text takes longer than ${mostMicroseconds} µs.`);
  return [
    ...missedBy(accuracy, leastAccuracy, ""),
    ...missedBy(unseenAccuracy, leastUnseenAccuracy, ", unseen"),
    ...slow,
    ...(loadMilliseconds > mostLoadMilliseconds
      ? [`Loading takes longer than ${mostLoadMilliseconds} ms.`]
      : []),
    ...(fileBytes > mostFileBytes ? [`The weights file is larger than ${mostFileBytes} bytes.`] : []),
  ];
};
