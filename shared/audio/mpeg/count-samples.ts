import { UnreadableAudioError } from "../audio-errors.ts";
import type { SourceWindow } from "../audio-source.ts";
import { type FrameStream, frameRuns } from "./frame-runs.ts";

/** Tags and pictures between or after the frames are usual, up to this size. */
const usualForeignBytes = 65_536;

/**
 * How many samples of each channel a stream of frames decodes to.
 *
 * @throws UnreadableAudioError when more than half of the file is something else.
 */
export const countSamples = async (window: SourceWindow, stream: FrameStream): Promise<number> => {
  let samples = 0;
  let bytes = 0;
  for await (const run of frameRuns(window, stream)) {
    samples += run.samples;
    bytes += run.bytes.length;
  }
  const foreignBytes = window.size - stream.start - bytes;
  if (foreignBytes > Math.max(usualForeignBytes, bytes)) {
    throw new UnreadableAudioError("The audio is damaged: more than half of the file is not sound.");
  }
  return samples;
};
