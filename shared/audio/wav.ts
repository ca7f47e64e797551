import { UnreadableAudioError } from "./audio-errors.ts";
import { hasText, textAt } from "./bytes.ts";
import { bytesPerSample, type SampleFormat, sampleEncodingTags } from "./wav/wav-format.ts";
import { unknownSize, walkWav } from "./wav/wav-layout.ts";

/**
 * WAV as it is made: what a speech synthesiser streams, and what goes out to the caller.
 */
export type { SampleEncoding, SampleFormat } from "./wav/wav-format.ts";

/** What the start of a WAV stream says. */
export interface WavHeader {
  readonly format: SampleFormat;
  /** Offset of the first byte of sound. */
  readonly dataStart: number;
  /** Bytes of sound, unless the header was written before the length was known. */
  readonly dataBytes: number | undefined;
}

/** The length of a header that `writeWavHeader` makes. */
export const wavHeaderBytes = 44;

/** A header longer than this is no header of a synthesiser. */
const longestHeader = 1 << 20;

/**
 * Reads the header at the start of a WAV stream.
 *
 * @param start the first bytes of the stream, as many as have come
 * @returns undefined when the header goes on beyond these bytes
 * @throws UnreadableAudioError when it is no WAV header, or one of a compressed encoding
 */
export const readWavHeader = (start: Uint8Array): WavHeader | undefined => {
  if (start.length < 12) return undefined;
  const isWav = /^(RIFF|RF64|BW64)$/.test(textAt(start, 0, 4)) && hasText(start, 8, "WAVE");
  if (!isWav) throw new UnreadableAudioError("The stream is not WAV audio.");
  const walk = walkWav();
  let step = walk.next();
  while (!step.done) {
    const end = step.value.offset + step.value.length;
    if (end > longestHeader) throw new UnreadableAudioError("The WAV stream's header is too long.");
    if (end > start.length) return undefined;
    step = walk.next(start.subarray(step.value.offset, end));
  }
  const { format, dataStart, dataBytes } = step.value;
  if (!format.samples) throw new UnreadableAudioError(`The WAV stream holds ${format.codec}, not samples.`);
  return { format: format.samples, dataStart, dataBytes };
};

/**
 * A WAV header of 44 bytes.
 *
 * @param dataBytes how many bytes of sound follow; when unknown, the sizes say so in the way players
 * understand
 */
export const writeWavHeader = (format: SampleFormat, dataBytes?: number): Uint8Array => {
  const { encoding, sampleRate, channels, bitsPerSample } = format;
  const header = Buffer.alloc(wavHeaderBytes);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(fittingSize(dataBytes, wavHeaderBytes - 8), 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(sampleEncodingTags[encoding], 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * frameBytes(format), 28);
  header.writeUInt16LE(frameBytes(format), 32);
  header.writeUInt16LE(bitsPerSample, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(fittingSize(dataBytes, 0), 40);
  return header;
};

const fittingSize = (dataBytes: number | undefined, extra: number): number =>
  dataBytes === undefined ? unknownSize : Math.min(dataBytes + extra, unknownSize);

/** The bytes of one sample of every channel. */
export const frameBytes = (format: SampleFormat): number => format.channels * bytesPerSample(format);

/** How long so many bytes of sound play, in seconds. */
export const wavDuration = (format: SampleFormat, dataBytes: number): number =>
  Math.floor(dataBytes / frameBytes(format)) / format.sampleRate;
