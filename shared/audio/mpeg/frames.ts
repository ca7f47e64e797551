import { UnreadableAudioError } from "../reading/audio-errors.ts";
import { type SourceWindow, scanBytes } from "../reading/audio-source.ts";
import { asBuffer } from "../reading/bytes.ts";
import { type CutPoint, pointSpacing } from "../reading/piece.ts";

/** The header of a frame: a packet of compressed audio with its own length. */
export interface Frame {
  /** In bytes, header included. */
  readonly length: number;
  /** How many samples of each channel it decodes to. */
  readonly samples: number;
  readonly sampleRate: number;
  readonly channels: number;
  /** What stays the same from frame to frame within one stream. */
  readonly signature: number;
}

/** A format that consists of frames only. */
export interface FrameFormat {
  /** No frame is longer, in bytes. */
  readonly maxFrameBytes: number;
  /** The header at this offset, or undefined. */
  parse(bytes: Uint8Array, offset: number): Frame | undefined;
}

/** Frames that follow each other without a gap. */
interface FrameRun {
  /** Of the first one, in the file. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** How many samples of each channel they decode to. */
  readonly samples: number;
}

/** The stream of a walk. */
export interface FrameStream {
  readonly format: FrameFormat;
  readonly start: number;
  /** One of its frames. */
  readonly reference: Frame;
}

/**
 * Walks the frames of one stream, a window at a time, without storing any. Skips damage and foreign bytes, and does
 * not count a frame that the end of the file cuts off. The runs of a window are returned together, to be used before
 * the next call: there can be millions, too many to await each.
 * @param sampleLimit ends the walk with the frame that reaches this many samples
 */
async function* frameRuns(
  window: SourceWindow,
  stream: FrameStream,
  sampleLimit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Iterable<FrameRun>, void> {
  const walk: Walk = { offset: 0, remaining: sampleLimit, isInStep: true, isOver: false };
  for (let position = stream.start; position < window.size && !walk.isOver; position += walk.offset) {
    walk.offset = 0;
    const piece = pieceOf(stream, position, window.size, await window.read(position, scanBytes));
    yield runsIn(piece, position, walk);
  }
}

interface Walk {
  /** In the current piece. */
  offset: number;
  /** Samples until its limit. */
  remaining: number;
  /** Whether a frame is expected here; otherwise the next one is looked for. */
  isInStep: boolean;
  isOver: boolean;
}

function* runsIn(piece: Piece, position: number, walk: Walk): Generator<FrameRun, void> {
  while (walk.offset < piece.end) {
    if (!walk.isInStep) walk.offset = findFrame(piece, walk.offset);
    walk.isInStep = true;
    const start = walk.offset;
    const run = takeRun(piece, start, walk.remaining);
    walk.offset = run.end;
    walk.remaining -= run.samples;
    walk.isOver = walk.remaining <= 0 || run.isCutOff;
    if (run.samples > 0) {
      yield {
        offset: position + start,
        bytes: piece.bytes.subarray(start, run.end),
        samples: run.samples,
      };
    }
    if (walk.isOver) return;
    if (walk.offset < piece.end) {
      walk.isInStep = false;
      if (walk.offset === start) walk.offset += 1;
    }
  }
}

interface Piece extends FrameStream {
  readonly bytes: Uint8Array;
  /** A frame that starts before this offset is whole, and so is the next; unless the file ends there. */
  readonly end: number;
  readonly isLast: boolean;
}

const pieceOf = (stream: FrameStream, position: number, size: number, bytes: Uint8Array): Piece => {
  const isLast = position + bytes.length >= size;
  return {
    ...stream,
    bytes,
    isLast,
    end: isLast ? bytes.length : bytes.length - 2 * stream.format.maxFrameBytes,
  };
};

interface Run {
  readonly end: number;
  readonly samples: number;
  /** The file ends within the frame that follows. */
  readonly isCutOff: boolean;
}

const takeRun = (piece: Piece, start: number, sampleLimit: number): Run => {
  const signature = piece.format.parse(piece.bytes, start)?.signature;
  let end = start;
  let samples = 0;
  while (end < piece.end && samples < sampleLimit) {
    const frame = piece.format.parse(piece.bytes, end);
    if (!frame || frame.signature !== signature) break;
    if (end + frame.length > piece.bytes.length) return { end, samples, isCutOff: true };
    end += frame.length;
    samples += samplesAt(frame, piece.reference);
  }
  return { end, samples, isCutOff: false };
};

/** How many samples a frame decodes to, at the rate of the stream: players accept frames of another. */
const samplesAt = ({ samples, sampleRate }: Frame, reference: Pick<Frame, "sampleRate">): number =>
  sampleRate === reference.sampleRate ? samples : (samples * reference.sampleRate) / sampleRate;

/**
 * The next frame that another one of its kind follows, or that ends exactly at the end of the file. One alone proves
 * nothing: bytes that look like a header occur by chance in any compressed audio.
 */
const findFrame = ({ bytes, format, reference, end: pieceEnd, isLast }: Piece, start: number): number => {
  const buffer = asBuffer(bytes);
  let offset = buffer.indexOf(0xff, start);
  for (; offset >= 0 && offset < pieceEnd; offset = buffer.indexOf(0xff, offset + 1)) {
    const frame = format.parse(bytes, offset);
    if (!frame) continue;
    const end = offset + frame.length;
    if (isLast && end === bytes.length && frame.signature === reference.signature) return offset;
    if (format.parse(bytes, end)?.signature === frame.signature) return offset;
  }
  return pieceEnd;
};

/** How long the frames in these bytes play, in seconds. */
export const framesSeconds = (bytes: Uint8Array, format: FrameFormat): number => {
  const reference = { length: 0, samples: 0, sampleRate: 48_000, channels: 0, signature: 0 };
  const piece = { format, start: 0, reference, bytes, end: bytes.length, isLast: true };
  const walk: Walk = { offset: 0, remaining: Number.POSITIVE_INFINITY, isInStep: true, isOver: false };
  let samples = 0;
  for (const run of runsIn(piece, 0, walk)) samples += run.samples;
  return samples / reference.sampleRate;
};

/** The frames of a stream up to the one that reaches this many samples, without anything between them. */
export async function* copyFrames(
  window: SourceWindow,
  stream: FrameStream,
  sampleLimit: number,
): AsyncGenerator<Uint8Array, void> {
  for await (const runs of frameRuns(window, stream, sampleLimit)) {
    yield Buffer.concat(Array.from(runs, ({ bytes }) => bytes));
  }
}

export interface FramePoint {
  readonly offset: number;
  /** Samples of each channel in the frames before it. */
  readonly samples: number;
  /** In the frames before it. */
  readonly bytes: number;
}

/** Frame starts, a few in each second, and then the end of the last frame. */
export async function* framePoints(
  window: SourceWindow,
  stream: FrameStream,
  toPoint: (point: FramePoint) => CutPoint,
): AsyncGenerator<Iterable<CutPoint>, void> {
  const { sampleRate, samples } = stream.reference;
  const every = Math.ceil((pointSpacing * sampleRate) / samples);
  const walk: PointWalk = { samples: 0, bytes: 0, frames: 0, every, toPoint };
  for await (const runs of frameRuns(window, stream)) yield pointsIn(runs, stream, walk);
  yield [toPoint({ offset: window.size, ...walk })];
}

interface PointWalk {
  samples: number;
  bytes: number;
  frames: number;
  /** How many frames are between two positions. */
  readonly every: number;
  readonly toPoint: (point: FramePoint) => CutPoint;
}

function* pointsIn(
  runs: Iterable<FrameRun>,
  { format, reference }: FrameStream,
  walk: PointWalk,
): Generator<CutPoint, void> {
  for (const run of runs) {
    for (let offset = 0; offset < run.bytes.length; ) {
      const frame = format.parse(run.bytes, offset);
      if (!frame) break;
      if (walk.frames % walk.every === 0) {
        const { samples, bytes } = walk;
        yield walk.toPoint({ offset: run.offset + offset, samples, bytes });
      }
      offset += frame.length;
      walk.frames += 1;
      walk.samples += samplesAt(frame, reference);
      walk.bytes += frame.length;
    }
  }
}

/** Tags and pictures between or after the frames are usual, up to this size. */
const usualForeignBytes = 65_536;

/** Players play a second of frames in a row, with anything around it. */
const provenSeconds = 1;

/**
 * How many samples of each channel a stream of frames decodes to.
 * @throws UnreadableAudioError when most of the file is something else, and no second of it is certainly audio.
 */
export const countSamples = async (window: SourceWindow, stream: FrameStream): Promise<number> => {
  let [samples, bytes, longest] = [0, 0, 0];
  for await (const runs of frameRuns(window, stream)) {
    for (const run of runs) {
      samples += run.samples;
      bytes += run.bytes.length;
      longest = Math.max(longest, run.samples);
    }
  }
  const foreignBytes = window.size - stream.start - bytes;
  const isProven = longest >= provenSeconds * stream.reference.sampleRate;
  if (foreignBytes > Math.max(usualForeignBytes, bytes) && !isProven) {
    throw new UnreadableAudioError("The audio is damaged: more than half of the file is not audio.");
  }
  return samples;
};
