import { UnreadableAudioError } from "../audio-errors.ts";
import type { SourceWindow } from "../audio-source.ts";
import type { ContainerReader } from "../container-reader.ts";
import { countSamples } from "./count-samples.ts";
import { type FrameStream, frameRuns } from "./frame-runs.ts";
import { mp3Format } from "./mp3-frame.ts";
import { readVbrHeader, type VbrHeader, writeVbrHeader } from "./vbr-header.ts";

/**
 * MP3. The frames are counted, because what a VBR header says about them may be missing, stale or a lie, and
 * without one a variable bit rate cannot be guessed.
 */
export const mp3Reader: ContainerReader = {
  async measure({ window, start }) {
    const { stream, header } = await openStream(window, start);
    const { sampleRate, channels } = stream.reference;
    const samples = await countSamples(window, stream);
    const heard = samples - unheardSamples(header, samples / stream.reference.samples);
    return { codec: "mp3", durationSeconds: Math.max(0, heard) / sampleRate, sampleRate, channels };
  },

  async *trim({ window, start }, seconds) {
    const { stream, header, firstFrame } = await openStream(window, start);
    const { sampleRate, samples } = stream.reference;
    const frames = Math.ceil((seconds * sampleRate + (header?.encoder?.delay ?? 0)) / samples);
    if (header) yield writeVbrHeader(header, firstFrame, stream.reference, frames);
    for await (const run of frameRuns(window, stream, frames * samples)) yield run.bytes;
  },
};

/**
 * What the encoder added at both ends; the end of a file that was cut off is gone, and its padding with it.
 */
const unheardSamples = (header: VbrHeader | undefined, frames: number): number => {
  const { delay = 0, padding = 0 } = header?.encoder ?? {};
  return header?.frames === frames ? delay + padding : delay;
};

interface Mp3Stream {
  /** The frames that carry sound. */
  readonly stream: FrameStream;
  readonly header: VbrHeader | undefined;
  readonly firstFrame: Uint8Array;
}

const openStream = async (window: SourceWindow, start: number): Promise<Mp3Stream> => {
  const head = await window.read(start, mp3Format.longestFrame);
  const reference = mp3Format.parse(head, 0);
  if (!reference) throw new UnreadableAudioError("The audio is damaged: it holds no MP3 frame.");
  const firstFrame = head.subarray(0, reference.length);
  const header = readVbrHeader(firstFrame, reference);
  const framesStart = header ? start + reference.length : start;
  return { stream: { format: mp3Format, start: framesStart, reference }, header, firstFrame };
};
