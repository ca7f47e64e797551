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
