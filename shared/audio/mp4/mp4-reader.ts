import { copyRange, type SourceWindow } from "../reading/audio-source.ts";
import type { ContainerFile, ContainerReader } from "../reading/container.ts";
import { compareWithPackets } from "../reading/packet-tally.ts";
import { type Cut, type CutPoint, pointSpacing } from "../reading/piece.ts";
import { type Mp4File, type Mp4Track, openMp4 } from "./mp4-file.ts";
import { countMp4Packets } from "./mp4-packets.ts";
import { writeMp4Head } from "./mp4-writer.ts";
import { presentSamples } from "./present-samples.ts";
import { collectSamples, type Resumption, type SampleRun } from "./sample-runs.ts";

/** MP4 and its kin: M4A, MOV, 3GP; with its index at the start, at the end, or in fragments. */
export const mp4Reader: ContainerReader = {
  async measure({ window }) {
    const file = await openMp4(window);
    const { timescale, description, playFrom, playFor = Number.POSITIVE_INFINITY } = file.track;
    let ticks = 0;
    for await (const { runs } of presentSamples(window, file)) {
      for (const { count, duration } of runs) ticks += count * duration;
    }
    const { codec, sampleRate, channels } = description;
    const stated = Math.max(0, Math.min(ticks - playFrom, playFor)) / timescale;
    const length = await compareWithPackets(window, { stated }, (tally, parts) =>
      countMp4Packets(window, file, tally, parts),
    );
    return { codec, ...length, sampleRate: sampleRate || timescale, channels };
  },

  async ticksAt({ window }, seconds) {
    const { playFrom, timescale } = (await openMp4(window)).track;
    return playFrom + Math.round(seconds * timescale);
  },

  async cutPoints({ window }) {
    const file = await openMp4(window);
    const headBytes = file.typeBox.length + file.track.description.entry.length + maxRestBytes;
    return { headBytes, points: pointsOf(window, file) };
  },

  cut: cutMp4,
};

/** The index of a piece without its tables. */
const maxRestBytes = 1_024;

/** What a new index needs at most for a sample: its size, its duration and how many have it. */
const entryBytes = 12;

/** What a piece contains before its audio, in ticks: packets depend on earlier ones. Players skip it. */
const leadIn = ({ timescale }: Mp4Track): number => Math.round(timescale / 10);

async function* cutMp4({ window }: ContainerFile, { from, until }: Cut): AsyncGenerator<Uint8Array, void> {
  const file = await openMp4(window);
  const { track } = file;
  const start = from?.ticks ?? 0;
  const samples = await collectSamples(presentSamples(window, file, from), {
    listedFrom: from?.countedFrom ?? 0,
    from: start,
    until,
  });
  const playFrom = from ? leadIn(track) : track.playFrom;
  const playUntil = track.playFrom + (track.playFor ?? Number.POSITIVE_INFINITY) - start;
  yield writeMp4Head(file, samples, { playFrom, playUntil: Math.min(samples.ticks, playUntil) });
  for (const { start, end } of samples.ranges) yield* copyRange(window, start, end);
}

/** Cut points are between samples. */
async function* pointsOf(window: SourceWindow, file: Mp4File): AsyncGenerator<Iterable<CutPoint>, void> {
  const { timescale, playFrom, playFor = Number.POSITIVE_INFINITY } = file.track;
  const secondsAt = (ticks: number): number => Math.max(0, Math.min(ticks - playFrom, playFor)) / timescale;
  const spacing = Math.ceil(pointSpacing * timescale);
  let resumption: Resumption | undefined;
  let [ticks, bytes, countedFrom, nextAt] = [0, 0, 0, 0];
  const pointAt = (): CutPoint => ({
    position: { offset: 0, ...resumption, ticks, countedFrom },
    startsAt: ticks === 0 ? 0 : secondsAt(ticks + leadIn(file.track)),
    endsAt: secondsAt(ticks),
    bytes,
  });
  function* pointsIn(runs: readonly SampleRun[]): Generator<CutPoint, void> {
    for (const { count, size, duration } of runs) {
      const step = duration > 0 ? Math.ceil(spacing / duration) : count;
      for (let taken = 0; taken < count; taken += step) {
        if (ticks >= nextAt) {
          yield pointAt();
          nextAt = ticks + spacing;
        }
        const samples = Math.min(step, count - taken);
        ticks += samples * duration;
        bytes += samples * size;
      }
      bytes += entryBytes;
    }
  }
  for await (const batch of presentSamples(window, file)) {
    if (batch.resumption !== resumption) countedFrom = ticks;
    resumption = batch.resumption;
    yield pointsIn(batch.runs);
  }
  yield [pointAt()];
}
