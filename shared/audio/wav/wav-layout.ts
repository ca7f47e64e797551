import { UnreadableAudioError } from "../audio-errors.ts";
import { hasText, textAt, uint32LittleEndian, uint64LittleEndian } from "../bytes.ts";
import { parseWavFormat, type WavFormat } from "./wav-format.ts";

/** Where the sound lies in a WAV file. */
export interface WavLayout {
  readonly format: WavFormat;
  /** Offset of the first byte of sound. */
  readonly dataStart: number;
  /** As the header says; undefined when it was written before the length was known. */
  readonly dataBytes: number | undefined;
  /** Samples of each channel, as compressed files announce them. */
  readonly announcedSamples: number | undefined;
}

/** Bytes that are needed next. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** A size that a streaming writer puts where it knows none; in RF64 the real one is in the chunk `ds64`. */
export const unknownSize = 0xffffffff;

const mostChunks = 1_000;
const longestFormatChunk = 4_096;

/**
 * Walks the chunks of a WAV file up to its sound. It asks for bytes by yielding ranges and is answered with
 * `next`; fewer bytes mean that the file ends there. So the same walk serves files and streams.
 *
 * Chunks must be walked, because the sound starts at byte 44 only in the simplest files: many writers put a
 * `LIST` with the title before it.
 *
 * @throws UnreadableAudioError
 */
export function* walkWav(): Generator<ByteRange, WavLayout, Uint8Array> {
  const isRf64 = !hasText(yield { offset: 0, length: 12 }, 0, "RIFF");
  let format: WavFormat | undefined;
  let dataSize64: number | undefined;
  let announcedSamples: number | undefined;

  let offset = 12;
  for (let count = 0; count < mostChunks; count += 1) {
    const header = yield { offset, length: 8 };
    if (header.length < 8) break;
    const id = textAt(header, 0, 4);
    const size = uint32LittleEndian(header, 4);
    offset += 8;
    if (id === "data") {
      if (!format) throw new UnreadableAudioError("The WAV file is damaged: its sound has no format.");
      const known = size === unknownSize && isRf64 ? dataSize64 : size;
      const dataBytes = known === 0 || known === unknownSize ? undefined : known;
      return { format, dataStart: offset, dataBytes, announcedSamples };
    }
    if (id === "fmt ") format = parseWavFormat(yield { offset, length: Math.min(size, longestFormatChunk) });
    if (id === "ds64") dataSize64 = uint64LittleEndian(yield { offset, length: 16 }, 8);
    if (id === "fact") announcedSamples = uint32LittleEndian(yield { offset, length: 4 }, 0);
    offset += size + (size & 1);
  }
  throw new UnreadableAudioError("The WAV file is damaged: it holds no sound.");
}
