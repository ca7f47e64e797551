import { copyRange, type SourceWindow } from "../audio-source.ts";
import type { ContainerReader } from "../container.ts";
import { fragmentSamples } from "./fragment-samples.ts";
import { indexedSamples } from "./indexed-samples.ts";
import { type Mp4File, openMp4 } from "./mp4-file.ts";
import { writeMp4Head } from "./mp4-writer.ts";
import { collectSamples, type SampleRun } from "./sample-runs.ts";

/** MP4 and its kin: M4A, MOV, 3GP; with its index at the start, at the end, or in fragments. */
export const mp4Reader: ContainerReader = {
  async measure({ window }) {
    const file = await openMp4(window);
    const { timescale, description, playFrom, playFor = Number.POSITIVE_INFINITY } = file.track;
    let ticks = 0;
    for await (const runs of presentSamples(window, file)) {
      for (const { count, duration } of runs) ticks += count * duration;
    }
    const { codec, sampleRate, channels } = description;
    const heard = Math.max(0, Math.min(ticks - playFrom, playFor));
    return { codec, durationSeconds: heard / timescale, sampleRate: sampleRate || timescale, channels };
  },

  async *trim({ window }, seconds) {
    const file = await openMp4(window);
    const { playFrom, timescale } = file.track;
    const samples = await collectSamples(
      presentSamples(window, file),
      playFrom + Math.round(seconds * timescale),
    );
    yield writeMp4Head(file, samples);
    for (const { start, end } of samples.ranges) yield* copyRange(window, start, end);
  },
};

/** The samples whose bytes the file has; the index at the start of one that was cut off lists more. */
async function* presentSamples(
  window: SourceWindow,
  file: Mp4File,
): AsyncGenerator<readonly SampleRun[], void> {
  for (const samples of [indexedSamples(window, file.track), fragmentSamples(window, file)]) {
    for await (const runs of samples) {
      const missing = runs.findIndex((run) => presentCount(run, window.size) < run.count);
      const cutOff = runs[missing];
      if (cutOff) {
        yield [...runs.slice(0, missing), { ...cutOff, count: presentCount(cutOff, window.size) }];
        return;
      }
      yield runs;
    }
  }
}

const presentCount = ({ offset, size, count }: SampleRun, fileSize: number): number => {
  if (offset >= 0 && offset + size * count <= fileSize) return count;
  return offset >= 0 && size > 0 ? Math.max(0, Math.floor((fileSize - offset) / size)) : 0;
};
