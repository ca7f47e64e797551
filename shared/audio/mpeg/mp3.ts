import { UnreadableAudioError } from "../audio-errors.ts";
import type { SourceWindow } from "../audio-source.ts";
import { byteAt } from "../bytes.ts";
import type { ContainerReader } from "../container.ts";
import { copyFrames, countSamples, type FrameFormat, type FrameStream } from "./frames.ts";
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
    yield* copyFrames(window, stream, frames * samples);
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

/**
 * Layer III bit rates in kbit/s by index (ISO 11172-3 and 13818-3); 0 is "free format", which nothing plays.
 */
const bitRates = {
  version1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  version2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** By the two version bits of the header: 2.5, reserved, 2, 1. */
const sampleRates = [[11_025, 12_000, 8_000], [], [22_050, 24_000, 16_000], [44_100, 48_000, 32_000]];

const version1 = 3;
const layer3 = 1;
const mono = 3;

/** MPEG audio layer III, versions 1, 2 and 2.5. */
export const mp3Format: FrameFormat = {
  longestFrame: 1_441,

  parse(bytes, offset) {
    const second = byteAt(bytes, offset + 1);
    if (bytes[offset] !== 0xff || (second & 0xe0) !== 0xe0 || ((second >> 1) & 3) !== layer3)
      return undefined;
    const third = byteAt(bytes, offset + 2);
    const version = (second >> 3) & 3;
    const sampleRate = sampleRates[version]?.[(third >> 2) & 3];
    const bitRate = bitRates[version === version1 ? "version1" : "version2"][third >> 4];
    if (!sampleRate || !bitRate || offset + 4 > bytes.length) return undefined;

    const samples = version === version1 ? 1_152 : 576;
    const padding = (third >> 1) & 1;
    return {
      length: Math.floor((samples * 125 * bitRate) / sampleRate) + padding,
      samples,
      sampleRate,
      channels: byteAt(bytes, offset + 3) >> 6 === mono ? 1 : 2,
      signature: (version << 2) | ((third >> 2) & 3),
    };
  },
};
