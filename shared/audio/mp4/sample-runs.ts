import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { Position } from "../reading/piece.ts";

/** Consecutive similar samples of one track. A sample here is a packet, or one value of PCM. */
export interface SampleRun {
  /** Of the first one, in the file. */
  readonly offset: number;
  readonly count: number;
  /** Of each, in bytes. */
  readonly size: number;
  /** Of each, in ticks. */
  readonly duration: number;
}

/** How many runs are passed on at once: one at a time would cost more than reading them. */
export const runsAtOnce = 4_096;

/** Where to start to list samples from here again. */
export type Resumption = Pick<Position, "offset" | "index">;

/** Samples, in the order in which they play. */
export interface SampleBatch {
  readonly runs: readonly SampleRun[];
  /** For these samples; the same object for batches of which only the first one can be read again. */
  readonly resumption: Resumption;
}

export interface CollectedSamples {
  /** In their order; neighbours differ. */
  readonly runs: readonly Omit<SampleRun, "offset">[];
  /** Where their bytes are in the old file, in the same order. */
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
  readonly ticks: number;
}

/** Ten minutes are some thirty thousand packets; far more are no recording of that length. */
const maxRuns = 1_000_000;

/** Which samples are taken, in ticks. */
export interface SampleSpan {
  /** Of the first sample that is listed. */
  readonly listedFrom: number;
  readonly from: number;
  readonly until: number;
}

/** Collects the samples between two times. @throws UnreadableAudioError when there are implausibly many */
export const collectSamples = async (
  batches: AsyncIterable<SampleBatch>,
  { listedFrom, from, until }: SampleSpan,
): Promise<CollectedSamples> => {
  const runs: { count: number; readonly size: number; readonly duration: number }[] = [];
  const ranges: { readonly start: number; end: number }[] = [];
  let passed = listedFrom;
  for await (const batch of batches) {
    for (const run of batch.runs) {
      const { size, duration } = run;
      const skipped = samplesBefore(run, from - passed);
      const count = samplesBefore(run, until - passed) - skipped;
      passed += (skipped + count) * duration;
      if (count > 0) {
        const offset = run.offset + size * skipped;
        const end = offset + size * count;
        const lastRange = ranges.at(-1);
        if (lastRange?.end === offset) lastRange.end = end;
        else ranges.push({ start: offset, end });
        const lastRun = runs.at(-1);
        if (lastRun?.size === size && lastRun.duration === duration) lastRun.count += count;
        else runs.push({ count, size, duration });
      }
      if (passed >= until) return { runs, ranges, ticks: passed - from };
    }
    if (runs.length > maxRuns || ranges.length > maxRuns) {
      throw new UnreadableAudioError("The MP4 file is damaged: its index is implausible.");
    }
  }
  return { runs, ranges, ticks: Math.max(0, passed - from) };
};

/** How many samples of a run start before a time, counted from the run's own start. */
const samplesBefore = ({ count, duration }: SampleRun, ticks: number): number => {
  if (ticks <= 0) return 0;
  return duration > 0 ? Math.min(count, Math.ceil(ticks / duration)) : count;
};
