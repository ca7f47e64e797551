import { UnreadableAudioError } from "../reading/audio-errors.ts";
import { type SourceWindow, scanBytes } from "../reading/audio-source.ts";
import { asBuffer, byteAt, uint32BigEndian } from "../reading/bytes.ts";
import {
  crc16,
  type FlacFrame,
  type FlacFrameShape,
  flacFrameShape,
  maxFlacHeaderBytes,
  parseFlacFrame,
} from "./flac-frame.ts";

/** A FLAC file, as its metadata and its first frame describe it. */
export interface FlacStream {
  /** The metadata block about the whole stream, as it is in the file. */
  readonly information: Uint8Array;
  readonly sampleRate: number;
  readonly channels: number;
  /** Samples of each channel; 0 when the encoder did not know. */
  readonly totalSamples: number;
  readonly framesStart: number;
  readonly firstFrame: FlacFrame;
  readonly shape: FlacFrameShape;
}

const signatureBytes = 4;
const informationBytes = 34;
const maxBlocks = 1_000;

/** @throws UnreadableAudioError when the file ends before its first frame, or that is damaged. */
export const openFlac = async (window: SourceWindow, start: number): Promise<FlacStream> => {
  const head = await window.read(start + signatureBytes, 4 + informationBytes);
  const isInformation = (byteAt(head, 0) & 0x7f) === 0 && head.length === 4 + informationBytes;
  const framesStart = await skipMetadata(window, start + signatureBytes);
  const firstBytes = await window.read(framesStart, maxFlacHeaderBytes);
  const shape = flacFrameShape(firstBytes, 0);
  const firstFrame = shape && parseFlacFrame(firstBytes, 0, shape);
  const information = head.slice(4);
  const sampleRate = uint32BigEndian(information, 10) >>> 12;
  if (!isInformation || !firstFrame || sampleRate === 0) {
    throw new UnreadableAudioError("The FLAC file is damaged or cut off: it contains no audio.");
  }
  return {
    information,
    sampleRate,
    channels: ((byteAt(information, 12) >> 1) & 7) + 1,
    totalSamples: (byteAt(information, 13) & 15) * 2 ** 32 + uint32BigEndian(information, 14),
    framesStart,
    firstFrame,
    shape,
  };
};

const skipMetadata = async (window: SourceWindow, start: number): Promise<number> => {
  let offset = start;
  for (let count = 0; count < maxBlocks; count += 1) {
    const header = uint32BigEndian(await window.read(offset, 4), 0);
    offset += 4 + (header & 0xffffff);
    const isLast = header >>> 31 === 1;
    if (isLast || offset >= window.size) break;
  }
  return offset;
};

/** How many samples can be played: all, or those before the file was cut off. */
export const countFlacSamples = async (window: SourceWindow, stream: FlacStream): Promise<number> => {
  const start = Math.max(stream.framesStart, window.size - scanBytes);
  const tail = await window.read(start, scanBytes);
  const last = findLastFrame(tail, stream, start === stream.framesStart);
  if (!last) throw new UnreadableAudioError("The FLAC file is damaged: it has no intact frame near its end.");
  const end = last.firstSample + last.samples;
  const isWhole = end === stream.totalSamples || crc16(tail.subarray(last.offset)) === 0;
  return (isWhole ? end : last.firstSample) - stream.firstFrame.firstSample;
};

interface LocatedFrame extends FlacFrame {
  readonly offset: number;
}

/** Bytes that pass for a header are rare, but each must be remembered. */
const maxCandidates = 16;

/** The last frame that follows another without a gap; or the only one. */
const findLastFrame = (
  tail: Uint8Array,
  stream: FlacStream,
  startsWithFirst: boolean,
): LocatedFrame | undefined => {
  const buffer = asBuffer(tail);
  const candidates: LocatedFrame[] = [];
  let offset = buffer.lastIndexOf(0xff);
  while (offset >= 0) {
    const frame = parseFlacFrame(tail, offset, stream.shape);
    if (frame) {
      const next = frame.firstSample + frame.samples;
      const confirmed = candidates.find(({ firstSample }) => firstSample === next);
      if (confirmed) return confirmed;
      if (candidates.length < maxCandidates) candidates.push({ ...frame, offset });
    }
    offset = offset === 0 ? -1 : buffer.lastIndexOf(0xff, offset - 1);
  }
  return startsWithFirst ? { ...stream.firstFrame, offset: 0 } : undefined;
};
