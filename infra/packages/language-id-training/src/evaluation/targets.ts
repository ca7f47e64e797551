import type { AccuracyRow } from "./measurements.ts";

/** The least macro accuracy by length, 0 to 1, in-domain and out-of-domain alike. */
const leastAccuracy: ReadonlyMap<string, number> = new Map([
  ["3-10", 0.84],
  ["11-20", 0.96],
  ["21-50", 0.985],
]);

const mostLoadMilliseconds = 60;
const mostMicroseconds = 25;
const mostFileBytes = 300_000;

/** What the targets are compared with. */
export interface Measurements {
  /** Without English strings, whose labels are wrong. */
  readonly accuracy: readonly AccuracyRow[];
  /** A text, by length, once warm. */
  readonly microseconds: ReadonlyMap<string, number>;
  readonly loadMilliseconds: number;
  readonly fileBytes: number;
}

/** Sentences that name each target the measurements miss; none when the model is fit to be released. */
export const missedTargets = (measurements: Measurements): readonly string[] => {
  const { accuracy, microseconds, loadMilliseconds, fileBytes } = measurements;
  const inaccurate = accuracy.flatMap(({ domain, bucket, macro }) => {
    const least = leastAccuracy.get(bucket);
    return least === undefined || (macro !== undefined && macro >= least)
      ? []
      : [`${domain}, ${bucket} characters: accuracy is below ${100 * least} %.`];
  });
  const slow = [...microseconds]
    .filter(([, time]) => time > mostMicroseconds)
    .map(([bucket]) => `${bucket} characters: a text takes longer than ${mostMicroseconds} µs.`);
  return [
    ...inaccurate,
    ...slow,
    ...(loadMilliseconds > mostLoadMilliseconds
      ? [`Loading takes longer than ${mostLoadMilliseconds} ms.`]
      : []),
    ...(fileBytes > mostFileBytes ? [`The weights file is larger than ${mostFileBytes} bytes.`] : []),
  ];
};
