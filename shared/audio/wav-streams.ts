import { UnreadableAudioError } from "./audio-errors.ts";
import { concatenate } from "./bytes.ts";
import { frameBytes, readWavHeader, type SampleFormat, type WavHeader, writeWavHeader } from "./wav.ts";

/** A WAV stream whose header has been read. */
export interface WavStream {
  readonly format: SampleFormat;
  /** The sound alone, in whole samples, without any chunks that follow it. */
  readonly samples: AsyncIterable<Uint8Array>;
}

/**
 * Reads a WAV stream up to its sound.
 *
 * @throws UnreadableAudioError when the stream is not WAV or ends before its sound
 */
export const openWavStream = async (chunks: AsyncIterable<Uint8Array>): Promise<WavStream> => {
  const iterator = chunks[Symbol.asyncIterator]();
  let start: Uint8Array = new Uint8Array(0);
  try {
    for (;;) {
      const header = readWavHeader(start);
      if (header) return { format: header.format, samples: soundOf(header, start, iterator) };
      const step = await iterator.next();
      if (step.done) throw new UnreadableAudioError("The WAV stream ended before its sound.");
      start = concatenate(start, step.value);
    }
  } catch (error) {
    await iterator.return?.();
    throw error;
  }
};

async function* soundOf(
  { format, dataStart, dataBytes = Number.POSITIVE_INFINITY }: WavHeader,
  start: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const size = frameBytes(format);
  let remaining = dataBytes;
  let pending: Uint8Array = start.subarray(dataStart);
  try {
    for (;;) {
      // A sample that a chunk's end cuts in two waits for its second half.
      const available = Math.min(pending.length, remaining);
      const whole = available - (available % size);
      if (whole > 0) yield pending.subarray(0, whole);
      remaining -= whole;
      if (remaining < size) return;
      const step = await rest.next();
      if (step.done) return;
      pending = whole === pending.length ? step.value : concatenate(pending.subarray(whole), step.value);
    }
  } finally {
    await rest.return?.();
  }
}

/**
 * One WAV stream that plays several, one after the other, with a header of unknown length.
 *
 * @throws UnreadableAudioError when they differ in rate, channels or kind of sample, which only a conversion
 * could join
 */
export async function* joinWavStreams(
  streams: AsyncIterable<AsyncIterable<Uint8Array>> | Iterable<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array, void> {
  let format: SampleFormat | undefined;
  for await (const chunks of streams) {
    const stream = await openWavStream(chunks);
    if (format && !isSameFormat(format, stream.format)) {
      throw new UnreadableAudioError("The parts of the speech differ in their sample format.");
    }
    if (!format) yield writeWavHeader(stream.format);
    format = stream.format;
    yield* stream.samples;
  }
}

const isSameFormat = (one: SampleFormat, other: SampleFormat): boolean =>
  one.encoding === other.encoding &&
  one.sampleRate === other.sampleRate &&
  one.channels === other.channels &&
  one.bitsPerSample === other.bitsPerSample;
