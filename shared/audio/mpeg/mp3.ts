import { UnreadableAudioError } from "../reading/audio-errors.ts";
import { byteAt } from "../reading/bytes.ts";
import type { ContainerFile, ContainerReader } from "../reading/container.ts";
import type { Cut, CutPoint } from "../reading/piece.ts";
import {
  copyFrames,
  countSamples,
  type Frame,
  type FrameFormat,
  type FramePoint,
  type FrameStream,
  framePoints,
} from "./frames.ts";
import {
  plainExtension,
  readVbrHeader,
  type VbrHeader,
  vbrHeaderBytes,
  writeVbrHeader,
} from "./vbr-header.ts";

/**
 * MP3. Frames are counted, because a VBR header may be missing, outdated or false, and the length of a variable bit
 * rate cannot be derived from the file's size.
 */
export const mp3Reader: ContainerReader = {
  async measure(file) {
    const { stream, header } = await openStream(file);
    const { sampleRate, channels } = stream.reference;
    const samples = await countSamples(file.window, stream);
    const heard = samples - unheardSamples(header, samples / stream.reference.samples);
    return { codec: "mp3", durationSeconds: Math.max(0, heard) / sampleRate, sampleRate, channels };
  },

  async ticksAt(file, seconds) {
    const { stream, header } = await openStream(file);
    const { sampleRate, samples } = stream.reference;
    return Math.ceil((seconds * sampleRate + (header?.encoder?.delay ?? 0)) / samples) * samples;
  },

  async cutPoints(file) {
    const mp3 = await openStream(file);
    const points = framePoints(file.window, mp3.stream, (point) => toPoint(point, mp3));
    return { headBytes: mp3Format.maxFrameBytes, points };
  },

  cut: cutMp3,
};

/**
 * Frames use bits of earlier ones, and a decoder needs some to be in step. So a piece starts with as many frames as
 * a header can declare as not heard: 4,095 samples, plus the delay of decoders.
 */
const maxDelay = 4_095;
const decoderDelay = 529;

const leadIn = ({ samples }: Frame): number => Math.floor((maxDelay + decoderDelay) / samples) * samples;

async function* cutMp3(file: ContainerFile, { from, until }: Cut): AsyncGenerator<Uint8Array, void> {
  const { stream, header, firstFrame } = await openStream(file);
  const { reference } = stream;
  const frames = Math.round(until / reference.samples);
  const padding = header?.frames === frames ? (header.encoder?.padding ?? 0) : 0;
  if (!from) {
    const cutHeader = header?.encoder ? { ...header, encoder: { ...header.encoder, padding } } : header;
    if (cutHeader) yield writeVbrHeader(cutHeader, firstFrame, reference, frames);
    yield* copyFrames(file.window, stream, until);
    return;
  }
  const samples = until - from.ticks;
  const delay = leadIn(reference) - decoderDelay;
  const extension = header?.encoder?.extension ?? plainExtension;
  const head = roomyFrame(firstFrame) ?? firstFrame;
  yield writeVbrHeader(
    { tag: header?.tag ?? "Info", encoder: { extension, delay, padding } },
    head,
    mp3Format.parse(head, 0) ?? reference,
    Math.round(samples / reference.samples),
  );
  yield* copyFrames(file.window, { ...stream, start: from.offset }, samples);
}

const toPoint = (
  { offset, samples, bytes }: FramePoint,
  { header, stream: { reference } }: Mp3Stream,
): CutPoint => {
  const encoder = header?.encoder;
  const unheard = encoder ? encoder.delay + decoderDelay : 0;
  const isEnd = encoder !== undefined && header?.frames === samples / reference.samples;
  const heard = samples - (isEnd ? encoder.delay + encoder.padding : unheard);
  return {
    position: { offset, ticks: samples },
    bytes,
    startsAt: samples === 0 ? 0 : (samples + leadIn(reference) - unheard) / reference.sampleRate,
    endsAt: Math.max(0, heard) / reference.sampleRate,
  };
};

/** What the encoder added at both ends; a truncated file has lost its end, and the padding with it. */
const unheardSamples = (header: VbrHeader | undefined, frames: number): number => {
  const { delay = 0, padding = 0 } = header?.encoder ?? {};
  return header?.frames === frames ? delay + padding : delay;
};

interface Mp3Stream {
  /** The frames that carry audio. */
  readonly stream: FrameStream;
  readonly header: VbrHeader | undefined;
  readonly firstFrame: Uint8Array;
}

const openStream = async ({ window, start }: ContainerFile): Promise<Mp3Stream> => {
  const head = await window.read(start, mp3Format.maxFrameBytes);
  const reference = mp3Format.parse(head, 0);
  if (!reference) throw new UnreadableAudioError("The audio is damaged: it contains no MP3 frame.");
  const firstFrame = head.subarray(0, reference.length);
  const header = readVbrHeader(firstFrame, reference);
  const framesStart = header ? start + reference.length : start;
  return { stream: { format: mp3Format, start: framesStart, reference }, header, firstFrame };
};

/** Layer III bit rates in kbit/s by index (ISO 11172-3 and 13818-3); 0 is "free format", which no player supports. */
const bitRates = {
  version1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  version2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** By the two version bits of the header: 2.5, reserved, 2, 1. */
export const sampleRates: readonly (readonly number[])[] = [
  [11_025, 12_000, 8_000],
  [],
  [22_050, 24_000, 16_000],
  [44_100, 48_000, 32_000],
];

const version1 = 3;
const layer3 = 1;
const mono = 3;

/** MPEG audio layer III, versions 1, 2 and 2.5. */
export const mp3Format: FrameFormat = {
  maxFrameBytes: 1_441,

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

const bitRateShift = 4;
const maxBitRate = 14;

/**
 * The frame header with the lowest bit rate at which a VBR header fits, as encoders write it; undefined if none
 * does.
 */
const roomyFrame = (firstFrame: Uint8Array): Uint8Array | undefined => {
  for (let bitRate = 1; bitRate <= maxBitRate; bitRate += 1) {
    const head = Uint8Array.from(firstFrame.subarray(0, 4));
    // Without a checksum of its own.
    head[1] = byteAt(head, 1) | 1;
    head[2] = (bitRate << bitRateShift) | (byteAt(head, 2) & 0x0c);
    const frame = mp3Format.parse(head, 0);
    if (frame && frame.length >= vbrHeaderBytes(frame)) return head;
  }
  return undefined;
};
