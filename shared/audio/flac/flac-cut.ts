import { type SourceWindow, scanBytes } from "../reading/audio-source.ts";
import { asBuffer, byteAt } from "../reading/bytes.ts";
import type { ContainerFile } from "../reading/container.ts";
import type { Cut, CutPoint, CutPoints } from "../reading/piece.ts";
import { type FlacFrame, maxFlacHeaderBytes, parseFlacFrame, renumberFlacFrame } from "./flac-frame.ts";
import { countFlacSamples, type FlacStream, openFlac } from "./flac-stream.ts";

export const flacPoints = async ({ window, start }: ContainerFile): Promise<CutPoints> => {
  const stream = await openFlac(window, start);
  return { headBytes: headerFor(stream, unknownTotal).length, points: pointsOf(window, stream) };
};

/** Cut points are between frames, which do not depend on each other. */
async function* pointsOf(window: SourceWindow, stream: FlacStream): AsyncGenerator<CutPoint[], void> {
  const { firstSample } = stream.firstFrame;
  const pointAt = (offset: number, ticks: number): CutPoint => {
    const seconds = (ticks - firstSample) / stream.sampleRate;
    const bytes = offset - stream.framesStart;
    return { position: { offset, ticks }, bytes, startsAt: seconds, endsAt: seconds };
  };
  const end = firstSample + (await countFlacSamples(window, stream));
  for await (const { position, frames } of frameGroups(window, stream)) {
    yield frames
      .filter((frame) => frame.firstSample < end)
      .map((frame) => pointAt(position + frame.offset, frame.firstSample));
  }
  yield [pointAt(window.size, end)];
}

/** The frames from a position on, before the one that starts at or after another. */
export async function* cutFlac(
  { window, start }: ContainerFile,
  { from, until }: Cut,
): AsyncGenerator<Uint8Array, void> {
  const stream = await openFlac(window, start);
  yield headerFor(stream, from ? until - from.ticks : samplesUntil(stream, until));
  for await (const { bytes, frames, end } of frameGroups(window, stream, from)) {
    const last = frames.findIndex(({ firstSample }) => firstSample >= until);
    const stop = frames[last]?.offset ?? end;
    if (from) {
      const remaining = last < 0 ? frames : frames.slice(0, last);
      const starts = [...remaining.map(({ offset }) => offset), stop];
      const renumbered = remaining.map(({ offset }, index) =>
        renumberFlacFrame(bytes.subarray(offset, starts[index + 1]), stream.shape, from.ticks),
      );
      yield Buffer.concat([bytes.subarray(0, starts[0]), ...renumbered]);
    } else {
      yield bytes.subarray(0, stop);
    }
    if (last >= 0) return;
  }
}

const totalSamplesOffset = 13;
const checksumOffset = 18;

/** The total of frames that differ in length, which is unknown before they are read. */
const unknownTotal = 0;

const samplesUntil = ({ shape: { fixedSamples }, firstFrame }: FlacStream, until: number): number =>
  fixedSamples ? Math.ceil((until - firstFrame.firstSample) / fixedSamples) * fixedSamples : unknownTotal;

/** The signature and the one required block of metadata. @param total samples of each channel */
const headerFor = ({ information }: FlacStream, total: number): Uint8Array => {
  const header = Buffer.concat([Buffer.from("fLaC\x80\0\0\x22", "latin1"), information]);
  const block = header.subarray(8);
  const known = total < 2 ** 36 ? total : unknownTotal;
  block.writeUInt8(
    (byteAt(block, totalSamplesOffset) & 0xf0) | Math.floor(known / 2 ** 32),
    totalSamplesOffset,
  );
  block.writeUInt32BE(known % 2 ** 32, totalSamplesOffset + 1);
  block.fill(0, checksumOffset);
  return header;
};

/** A gap of damage that the frames' numbers may jump over; beyond it, a header is more likely a coincidence. */
const maxGap = 1 << 20;

/** A part of a file, and the frames that start in it. */
interface FrameGroup {
  readonly position: number;
  readonly bytes: Uint8Array;
  readonly frames: readonly LocatedFrame[];
  /** Where the next part starts in these bytes: with a frame, unless one is longer than a part. */
  readonly end: number;
}

interface LocatedFrame extends FlacFrame {
  /** In the part. */
  readonly offset: number;
}

async function* frameGroups(
  window: SourceWindow,
  { shape, framesStart, firstFrame }: FlacStream,
  from: Cut["from"] = { offset: framesStart, ticks: firstFrame.firstSample },
): AsyncGenerator<FrameGroup, void> {
  let expected = from.ticks;
  for (let position = from.offset; position < window.size; ) {
    const bytes = asBuffer(await window.read(position, scanBytes));
    const isLast = position + bytes.length >= window.size;
    const searched = isLast ? bytes.length : bytes.length - maxFlacHeaderBytes;
    const frames: LocatedFrame[] = [];
    let offset = bytes.indexOf(0xff);
    for (; offset >= 0 && offset < searched; offset = bytes.indexOf(0xff, offset + 1)) {
      const frame = parseFlacFrame(bytes, offset, shape);
      if (!frame || frame.firstSample < expected || frame.firstSample > expected + maxGap) continue;
      frames.push({ ...frame, offset });
      expected = frame.firstSample + frame.samples;
    }
    const last = frames.at(-1);
    if (isLast || !last || last.offset === 0) {
      yield { position, bytes, frames, end: searched };
      position += searched;
    } else {
      yield { position, bytes, frames: frames.slice(0, -1), end: last.offset };
      position += last.offset;
      expected = last.firstSample;
    }
  }
}
