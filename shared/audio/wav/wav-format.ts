import { UnreadableAudioError } from "../audio-errors.ts";
import { uint16LittleEndian, uint32LittleEndian } from "../bytes.ts";

/** Encodings in which every sample has the same, known size. */
export type SampleEncoding = "pcm" | "float" | "alaw" | "mulaw";

/** How samples lie in the data of a WAV file. */
export interface SampleFormat {
  readonly encoding: SampleEncoding;
  /** In hertz. */
  readonly sampleRate: number;
  readonly channels: number;
  readonly bitsPerSample: number;
}

/** What a WAV file's format chunk says. */
export interface WavFormat {
  /** Unless it is a compressed encoding. */
  readonly samples?: SampleFormat;
  readonly codec: string;
  readonly sampleRate: number;
  readonly channels: number;
  /** The bytes that belong together: one sample of each channel, or a block of a compressed encoding. */
  readonly blockBytes: number;
  readonly bytesPerSecond: number;
  /** The chunk's content as it stands in the file. */
  readonly chunk: Uint8Array;
}

/** The format tags of samples, as a WAV header writes them. */
export const sampleEncodingTags = {
  pcm: 0x0001,
  float: 0x0003,
  alaw: 0x0006,
  mulaw: 0x0007,
} as const satisfies Record<SampleEncoding, number>;

const sampleEncodings = new Map<number, SampleEncoding>([
  [sampleEncodingTags.pcm, "pcm"],
  [sampleEncodingTags.float, "float"],
  [sampleEncodingTags.alaw, "alaw"],
  [sampleEncodingTags.mulaw, "mulaw"],
]);

/** Compressed encodings that common decoders read. */
const compressedCodecs = new Map([
  [0x0002, "adpcm"],
  [0x0011, "adpcm"],
  [0x0031, "gsm"],
  [0x0055, "mp3"],
]);

/** The real tag is in the extension, at the start of a GUID. */
const extensibleTag = 0xfffe;
const shortestChunk = 14;

/** The bytes a sample takes: whole ones, also for 12 or 20 bits. */
export const bytesPerSample = ({ bitsPerSample }: Pick<SampleFormat, "bitsPerSample">): number =>
  Math.ceil(bitsPerSample / 8);

/**
 * Reads a format chunk.
 *
 * @throws UnreadableAudioError when the encoding is unknown or the numbers contradict each other.
 */
export const parseWavFormat = (chunk: Uint8Array): WavFormat => {
  if (chunk.length < shortestChunk) throw new UnreadableAudioError("The WAV file's format chunk is damaged.");
  const announcedTag = uint16LittleEndian(chunk, 0);
  const tag = announcedTag === extensibleTag ? uint16LittleEndian(chunk, 24) : announcedTag;
  const encoding = sampleEncodings.get(tag);
  const codec = encoding ?? compressedCodecs.get(tag);
  if (!codec) {
    throw new UnreadableAudioError(`The WAV file uses an unknown encoding (0x${tag.toString(16)}).`);
  }

  const channels = uint16LittleEndian(chunk, 2);
  const sampleRate = uint32LittleEndian(chunk, 4);
  const bytesPerSecond = uint32LittleEndian(chunk, 8);
  const blockBytes = uint16LittleEndian(chunk, 12);
  const bitsPerSample = uint16LittleEndian(chunk, 14);
  const isPlausible = channels > 0 && channels <= 32 && sampleRate >= 1_000 && sampleRate <= 768_000;
  if (!isPlausible || blockBytes === 0 || bytesPerSecond === 0) {
    throw new UnreadableAudioError("The WAV file's format chunk is damaged: its numbers are implausible.");
  }
  const format = { codec, sampleRate, channels, blockBytes, bytesPerSecond, chunk };
  if (!encoding) return format;
  if (bitsPerSample < 8 || blockBytes !== channels * bytesPerSample({ bitsPerSample })) {
    throw new UnreadableAudioError("The WAV file's format chunk is damaged: its sample sizes do not match.");
  }
  return { ...format, samples: { encoding, sampleRate, channels, bitsPerSample } };
};
