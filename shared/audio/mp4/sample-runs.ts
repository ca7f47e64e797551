import { UnreadableAudioError } from "../audio-errors.ts";

/**
 * Samples of one track that lie one after the other and are alike. A sample here is a packet, or one value of
 * PCM.
 */
export interface SampleRun {
  /** Of the first one, in the file. */
  readonly offset: number;
  readonly count: number;
  /** Of each, in bytes. */
  readonly size: number;
  /** Of each, in ticks. */
  readonly duration: number;
}

/** How many runs are handed on at once: one at a time would cost more than reading them. */
export const runsAtOnce = 4_096;

/** The samples of a new file. */
export interface CollectedSamples {
  /** In their order; neighbours differ. */
  readonly runs: readonly Omit<SampleRun, "offset">[];
  /** Where their bytes are in the old file, in the same order. */
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
  /** How long they play. */
  readonly ticks: number;
}

/** Ten minutes are some thirty thousand packets; far more are no recording of that length. */
const mostRuns = 1_000_000;

/**
 * Takes samples until they play for a number of ticks.
 *
 * @throws UnreadableAudioError when there are too many to be true
 */
export const collectSamples = async (
  batches: AsyncIterable<readonly SampleRun[]>,
  ticks: number,
): Promise<CollectedSamples> => {
  const runs: { count: number; readonly size: number; readonly duration: number }[] = [];
  const ranges: { readonly start: number; end: number }[] = [];
  let taken = 0;
  for await (const batch of batches) {
    for (const { offset, size, duration, ...run } of batch) {
      const count = duration > 0 ? Math.min(run.count, Math.ceil((ticks - taken) / duration)) : run.count;
      const end = offset + size * count;
      const lastRange = ranges.at(-1);
      if (lastRange?.end === offset) lastRange.end = end;
      else ranges.push({ start: offset, end });
      const lastRun = runs.at(-1);
      if (lastRun?.size === size && lastRun.duration === duration) lastRun.count += count;
      else runs.push({ count, size, duration });
      taken += count * duration;
      if (taken >= ticks) return { runs, ranges, ticks: taken };
    }
    if (runs.length > mostRuns || ranges.length > mostRuns) {
      throw new UnreadableAudioError("The MP4 file is damaged: its index is implausible.");
    }
  }
  return { runs, ranges, ticks: taken };
};
