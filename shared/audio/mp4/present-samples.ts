import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import type { Position } from "../reading/piece.ts";
import { fragmentSamples, type IndexedTrack } from "./fragment-samples.ts";
import { indexedSamples } from "./indexed-samples.ts";
import type { SampleBatch, SampleRun } from "./sample-runs.ts";

/**
 * The samples whose bytes the file has; the index at the start of one that was cut off lists more.
 * @throws UnreadableAudioError when they have more bytes than the file
 */
export async function* presentSamples(
  window: SourceWindow,
  file: IndexedTrack,
  from?: Position,
): AsyncGenerator<SampleBatch, void> {
  const isInFragments = from && !from.index;
  const lists = [
    ...(isInFragments ? [] : [indexedSamples(window, file.track, from)]),
    fragmentSamples(window, file, isInFragments ? from.offset : undefined),
  ];
  let bytes = 0;
  for (const samples of lists) {
    for await (const { runs, resumption } of samples) {
      for (const run of runs) bytes += run.size * presentCount(run, window.size);
      if (bytes > window.size)
        throw new UnreadableAudioError("The MP4 file is damaged: its samples overlap.");
      const missing = runs.findIndex((run) => presentCount(run, window.size) < run.count);
      const cutOff = runs[missing];
      if (cutOff) {
        const present = { ...cutOff, count: presentCount(cutOff, window.size) };
        yield { runs: [...runs.slice(0, missing), present], resumption };
        return;
      }
      yield { runs, resumption };
    }
  }
}

const presentCount = ({ offset, size, count }: SampleRun, fileSize: number): number => {
  if (offset >= 0 && offset + size * count <= fileSize) return count;
  return offset >= 0 && size > 0 ? Math.max(0, Math.floor((fileSize - offset) / size)) : 0;
};
