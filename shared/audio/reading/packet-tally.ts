import type { SourceWindow } from "./audio-source.ts";
import type { Measurement } from "./container.ts";

/** How much longer packets may play than stated: padding that players leave out, and a few milliseconds each second. */
const paddingSeconds = 0.5;
const maxLagSeconds = 1;
const drift = 1.02;

/** Adds up how long packets play, and compares that with the times that the container states for them. */
export class PacketTally {
  seconds = 0;
  /** How many bytes of the file have been searched for packets. */
  bytes = 0;
  /** Whether all packets were counted, even if only sections were wanted. */
  isWhole = false;
  /** Whether packets play longer than the times say, over any part of the recording. */
  hasWrongTimes = false;
  /** How much longer the packets since some moment play than the time that has passed since. */
  #lag = 0;
  #time: number | undefined;

  /** @param seconds that a packet plays */
  add(seconds: number): void {
    this.seconds += seconds;
    this.#lag += seconds;
  }

  /** Notes the stated time, in seconds, at which the packets so far end, or the next one starts. */
  reach(time: number): void {
    this.#lag = this.#time === undefined ? 0 : Math.max(0, this.#lag - (time - this.#time) * drift);
    this.#time = time;
    if (this.#lag > maxLagSeconds) this.hasWrongTimes = true;
  }

  /** What follows is elsewhere in the recording. */
  skip(): void {
    this.#time = undefined;
  }
}

/** A part of a file, from a byte to another. */
export interface FileSection {
  readonly start: number;
  readonly end: number;
}

/** A larger recording does not stay one piece, whose packets have no other bound. */
const maxWholeBytes = 24_000_000;
const samples = 16;
const sampleBytes = 1 << 20;

/** How much longer than stated the samples of a recording may play: silence takes fewer bytes than speech. */
const maxSampleRatio = 1.25;

/**
 * How long a recording plays: as long as its container states, unless its packets play longer.
 * @param stated in seconds
 * @param unheard seconds at the start that players leave out
 * @param count adds up the packets that start in some parts of the file
 */
export const compareWithPackets = async (
  window: SourceWindow,
  { stated, unheard = 0 }: { readonly stated: number; readonly unheard?: number },
  count: (tally: PacketTally, parts: readonly FileSection[]) => Promise<void>,
): Promise<Pick<Measurement, "durationSeconds" | "hasWrongTimes">> => {
  const isLarge = window.size > maxWholeBytes;
  const everything = [{ start: 0, end: window.size }];
  let tally = new PacketTally();
  await count(tally, isLarge ? randomSections(window.size) : everything);
  if (isLarge && !tally.isWhole) {
    const estimate = (tally.seconds / tally.bytes) * window.size;
    if (!tally.hasWrongTimes && estimate <= stated * maxSampleRatio) return { durationSeconds: stated };
    tally = new PacketTally();
    await count(tally, everything);
  }
  const played = tally.seconds - unheard;
  const hasWrongTimes = tally.hasWrongTimes || played > stated * drift + maxLagSeconds;
  return {
    // Times that are all zero say nothing.
    durationSeconds: played > stated + (stated > 0 ? paddingSeconds : 0) ? played : stated,
    ...(hasWrongTimes ? { hasWrongTimes } : {}),
  };
};

/** In the order of the file; no client can know beforehand which. */
const randomSections = (size: number): FileSection[] =>
  Array.from({ length: samples }, () => Math.floor(Math.random() * (size - sampleBytes)))
    .toSorted((one, other) => one - other)
    .map((start) => ({ start, end: start + sampleBytes }));
