import type { PacketClock } from "../packets/aac-clock.ts";
import { packetClock } from "../packets/packet-clock.ts";
import { type SourceWindow, scanBytes } from "../reading/audio-source.ts";
import { type FileSection, PacketTally } from "../reading/packet-tally.ts";
import type { IndexedTrack } from "./fragment-samples.ts";
import type { Mp4File, Mp4Track } from "./mp4-file.ts";
import { presentSamples } from "./present-samples.ts";
import type { SampleRun } from "./sample-runs.ts";

/**
 * Adds up the packets of the audio tracks: those in some parts of the file, unless their sizes are enough. The longest
 * track counts: a player may choose it.
 */
export const countMp4Packets = async (
  window: SourceWindow,
  { track, defaults, others, indexEnd }: Mp4File,
  tally: PacketTally,
  parts: readonly FileSection[],
): Promise<void> => {
  await countTrack(window, { track, defaults, indexEnd }, tally, parts);
  for (const other of others) {
    const counted = new PacketTally();
    await countTrack(window, { ...other, indexEnd }, counted, parts);
    tally.add(Math.max(0, counted.seconds - tally.seconds));
  }
};

const countTrack = async (
  window: SourceWindow,
  file: IndexedTrack,
  tally: PacketTally,
  parts: readonly FileSection[],
): Promise<void> => {
  const { timescale, description } = file.track;
  const clock = packetClock({ ...description, sampleRate: description.sampleRate || timescale });
  const packets = new PacketReader(window.sibling(), parts);
  let ticks = 0;
  tally.isWhole = clock.needsOnlySize;
  tally.bytes = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  for await (const { runs } of presentSamples(window, file)) {
    for (const run of runs) {
      const steps = packets.secondsOf(run, clock);
      let step = steps.next();
      for (; !step.done; step = steps.next()) await packets.load(step.value);
      tally.add(step.value * heardShare(run, ticks, file.track));
      ticks += run.count * run.duration;
      tally.reach(ticks / timescale);
    }
  }
};

/** How much of the samples the edit list plays. */
const heardShare = (
  { count, duration }: SampleRun,
  start: number,
  { playFrom, playFor = Number.POSITIVE_INFINITY }: Mp4Track,
): number => {
  const [length, end] = [count * duration, start + count * duration];
  if (length === 0) return start >= playFrom && start <= playFrom + playFor ? 1 : 0;
  return Math.max(0, Math.min(end, playFrom + playFor) - Math.max(start, playFrom)) / length;
};

/** Reads packets in the order of a track, and most of them without waiting. */
export class PacketReader {
  readonly #window: SourceWindow;
  readonly #parts: readonly FileSection[];
  #start = 0;
  #loaded: Uint8Array = new Uint8Array(0);

  constructor(window: SourceWindow, parts: readonly FileSection[]) {
    this.#window = window;
    this.#parts = parts;
  }

  /** Adds up the packets of a run that start in the parts. @returns their seconds, after yielding what to load first */
  *secondsOf({ offset, size, count }: SampleRun, clock: PacketClock): Generator<number, number> {
    let seconds = 0;
    // A sample without bytes has nothing to decode.
    if (size === 0) return seconds;
    if (clock.needsOnlySize) return count * clock.secondsOf(size, this.#loaded);
    for (let start = offset; start < offset + size * count; start += size) {
      if (!this.#parts.some((part) => start >= part.start && start < part.end)) continue;
      const end = Math.min(start + size, start + scanBytes);
      if (start < this.#start || end > this.#start + this.#loaded.length) yield start;
      seconds += clock.secondsOf(size, this.#loaded.subarray(start - this.#start, end - this.#start));
    }
    return seconds;
  }

  async load(start: number): Promise<void> {
    this.#loaded = await this.#window.read(start, scanBytes);
    this.#start = start;
  }
}
