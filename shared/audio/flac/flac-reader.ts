import { type SourceWindow, scanBytes } from "../audio-source.ts";
import { asBuffer, byteAt } from "../bytes.ts";
import type { ContainerReader } from "../container.ts";
import { longestFlacHeader, parseFlacFrame } from "./flac-frame.ts";
import { countFlacSamples, type FlacStream, openFlac } from "./flac-stream.ts";

/** FLAC. Each frame says where it stands, so the last one tells the duration. */
export const flacReader: ContainerReader = {
  async measure({ window, start }) {
    const stream = await openFlac(window, start);
    const { sampleRate, channels } = stream;
    const samples = await countFlacSamples(window, stream);
    return { codec: "flac", durationSeconds: Math.max(0, samples) / sampleRate, sampleRate, channels };
  },

  async *trim({ window, start }, seconds) {
    const stream = await openFlac(window, start);
    const samples = Math.ceil(seconds * stream.sampleRate);
    yield headerFor(stream, samples);
    yield* framesUntil(window, stream, stream.firstFrame.firstSample + samples);
  },
};

const totalSamplesOffset = 13;
const checksumOffset = 18;

/** All that can be said of frames that differ in length. */
const unknownTotal = 0;

/** The signature and the one required block of metadata, for a stream that is cut after the given samples. */
const headerFor = ({ information, shape }: FlacStream, samples: number): Uint8Array => {
  const header = Buffer.concat([Buffer.from("fLaC\x80\0\0\x22", "latin1"), information]);
  const block = header.subarray(8);
  const total = shape.fixedSamples
    ? Math.ceil(samples / shape.fixedSamples) * shape.fixedSamples
    : unknownTotal;
  const known = total < 2 ** 36 ? total : unknownTotal;
  block.writeUInt8(
    (byteAt(block, totalSamplesOffset) & 0xf0) | Math.floor(known / 2 ** 32),
    totalSamplesOffset,
  );
  block.writeUInt32BE(known % 2 ** 32, totalSamplesOffset + 1);
  block.fill(0, checksumOffset);
  return header;
};

/**
 * A gap of damage that the frames' numbers may jump over; further on a header is more likely a coincidence.
 */
const widestGap = 1 << 20;

/** The frames before the one that starts at or after the target. */
async function* framesUntil(
  window: SourceWindow,
  { shape, framesStart, firstFrame }: FlacStream,
  target: number,
): AsyncGenerator<Uint8Array, void> {
  let expected = firstFrame.firstSample;
  for (let position = framesStart; position < window.size; ) {
    const bytes = asBuffer(await window.read(position, scanBytes));
    const end = position + bytes.length >= window.size ? bytes.length : bytes.length - longestFlacHeader;
    let offset = bytes.indexOf(0xff);
    for (; offset >= 0 && offset < end; offset = bytes.indexOf(0xff, offset + 1)) {
      const frame = parseFlacFrame(bytes, offset, shape);
      if (!frame || frame.firstSample < expected || frame.firstSample > expected + widestGap) continue;
      if (frame.firstSample >= target) {
        yield bytes.subarray(0, offset);
        return;
      }
      expected = frame.firstSample + frame.samples;
    }
    yield bytes.subarray(0, end);
    position += end;
  }
}
