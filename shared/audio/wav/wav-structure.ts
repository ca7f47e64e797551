import { maxChunks } from "../blocks/chunks.ts";
import { UnreadableAudioError } from "../reading/audio-errors.ts";
import {
  hasText,
  textAt,
  uint16LittleEndian,
  uint32LittleEndian,
  uint64LittleEndian,
} from "../reading/bytes.ts";

/** Encodings in which every sample has the same, known size. */
export type SampleEncoding = "pcm" | "float" | "alaw" | "mulaw";

/** How samples are arranged in the data of a WAV file. */
export interface SampleFormat {
  readonly encoding: SampleEncoding;
  /** In hertz. */
  readonly sampleRate: number;
  readonly channels: number;
  readonly bitsPerSample: number;
}

export const isSameFormat = (one: SampleFormat, other: SampleFormat): boolean =>
  one.encoding === other.encoding &&
  one.sampleRate === other.sampleRate &&
  one.channels === other.channels &&
  one.bitsPerSample === other.bitsPerSample;

interface WavFormat {
  /** Unless it is a compressed encoding. */
  readonly samples?: SampleFormat;
  readonly codec: string;
  readonly sampleRate: number;
  readonly channels: number;
  /** The bytes that belong together: one sample of each channel, or a block of a compressed encoding. */
  readonly blockBytes: number;
  /** Samples of each channel. */
  readonly samplesPerBlock: number;
  /** The chunk's content as it is in the file. */
  readonly chunk: Uint8Array;
}

/** Encodings in which every sample has the same, known size, by their format tag. */
const sampleEncodings = new Map<number, SampleEncoding>([
  [0x0001, "pcm"],
  [0x0003, "float"],
  [0x0006, "alaw"],
  [0x0007, "mulaw"],
]);

/** Compressed encodings that common decoders read. */
const compressedCodecs = new Map([
  [0x0002, "adpcm"],
  [0x0011, "adpcm"],
  [0x0031, "gsm"],
  [0x0050, "mp2"],
  [0x0055, "mp3"],
]);

/** Their frames say themselves how long they are. */
const framedCodecs: ReadonlySet<string> = new Set(["mp3", "mp2"]);

/** The real tag is in the extension, at the start of a GUID. */
const extensibleTag = 0xfffe;
const minChunkBytes = 14;

/** The bytes of a sample: whole ones, also for 12 or 20 bits. */
export const bytesPerSample = ({ bitsPerSample }: Pick<SampleFormat, "bitsPerSample">): number =>
  Math.ceil(bitsPerSample / 8);

/**
 * Reads a format chunk. @throws UnreadableAudioError for an unknown encoding, or numbers that contradict each other.
 */
export const parseWavFormat = (chunk: Uint8Array): WavFormat => {
  if (chunk.length < minChunkBytes) throw new UnreadableAudioError("The WAV file's format chunk is damaged.");
  const announcedTag = uint16LittleEndian(chunk, 0);
  const tag = announcedTag === extensibleTag ? uint16LittleEndian(chunk, 24) : announcedTag;
  const encoding = sampleEncodings.get(tag);
  const codec = encoding ?? compressedCodecs.get(tag);
  if (!codec) {
    throw new UnreadableAudioError(`The WAV file uses an unknown encoding (0x${tag.toString(16)}).`);
  }

  const channels = uint16LittleEndian(chunk, 2);
  const sampleRate = uint32LittleEndian(chunk, 4);
  const bitsPerSample = uint16LittleEndian(chunk, 14);
  const sampleBytes = encoding ? channels * bytesPerSample({ bitsPerSample }) : 0;
  // Decoders ignore the rate of bytes, and a size of blocks that is missing.
  const blockBytes = uint16LittleEndian(chunk, 12) || sampleBytes;
  const isPlausible = channels > 0 && channels <= 32 && sampleRate >= 1_000 && sampleRate <= 768_000;
  if (!isPlausible || (blockBytes === 0 && !framedCodecs.has(codec))) {
    throw new UnreadableAudioError("The WAV file's format chunk is damaged: its values are implausible.");
  }
  const samplesPerBlock = 1;
  const format = { codec, sampleRate, channels, blockBytes, samplesPerBlock, chunk };
  if (!encoding) return { ...format, ...compressedBlocks(tag, format, bitsPerSample) };
  if (bitsPerSample < 8 || blockBytes !== sampleBytes) {
    throw new UnreadableAudioError("The WAV file's format chunk is damaged: its sample sizes do not match.");
  }
  return { ...format, samples: { encoding, sampleRate, channels, bitsPerSample } };
};

const [microsoftAdpcm, imaAdpcm, gsm] = [0x0002, 0x0011, 0x0031];

/** GSM 06.10 as Microsoft packs it: two frames. */
const gsmBlock = { blockBytes: 65, samplesPerBlock: 320 };

/** How decoders see the blocks of a compressed encoding; what a file states about their samples may be false. */
const compressedBlocks = (
  tag: number,
  { blockBytes, channels }: Pick<WavFormat, "blockBytes" | "channels">,
  bitsPerSample: number,
): Pick<WavFormat, "samplesPerBlock"> & Partial<Pick<WavFormat, "blockBytes">> => {
  if (tag === gsm) return gsmBlock;
  const perChannel = blockBytes / channels;
  if (tag === microsoftAdpcm) return { samplesPerBlock: Math.max(1, Math.floor((perChannel - 6) * 2)) };
  const bits = Math.min(4, Math.max(2, bitsPerSample));
  const samplesPerBlock = Math.max(1, 1 + Math.floor(((perChannel - 4) * 8) / bits));
  return tag === imaAdpcm ? { samplesPerBlock } : { samplesPerBlock: 0 };
};

export interface WavLayout {
  readonly format: WavFormat;
  readonly dataStart: number;
  /** As the header says; undefined when it was written before the length was known. */
  readonly dataBytes: number | undefined;
}

interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Written by streaming writers for an unknown size; in RF64 the real one is in the chunk `ds64`. */
export const unknownSize = 0xffffffff;

export const maxFormatChunkBytes = 4_096;

/**
 * Walks the chunks of a WAV file up to its audio, which starts at byte 44 only in the simplest files. It yields the
 * ranges that it needs and receives their bytes through `next`, so the same walk serves files and streams; fewer
 * bytes mean that the file ends there. @throws UnreadableAudioError
 */
export function* walkWav(): Generator<ByteRange, WavLayout, Uint8Array> {
  const isRf64 = !hasText(yield { offset: 0, length: 12 }, 0, "RIFF");
  let format: WavFormat | undefined;
  let dataSize64: number | undefined;
  let data: Pick<WavLayout, "dataStart" | "dataBytes"> | undefined;

  let offset = 12;
  for (let count = 0; count < maxChunks; count += 1) {
    const header = yield { offset, length: 8 };
    if (header.length < 8) break;
    const id = textAt(header, 0, 4);
    const size = uint32LittleEndian(header, 4);
    offset += 8;
    if (id === "data" && !data) {
      const known = size === unknownSize && isRf64 ? dataSize64 : size;
      data = { dataStart: offset, dataBytes: known === 0 || known === unknownSize ? undefined : known };
    }
    if (id === "fmt ") format = parseWavFormat(yield { offset, length: Math.min(size, maxFormatChunkBytes) });
    // Some writers put the format behind the audio.
    if (format && data) return { format, ...data };
    if (id === "ds64") dataSize64 = uint64LittleEndian(yield { offset, length: 16 }, 8);
    offset += size + (size & 1);
  }
  throw new UnreadableAudioError(
    `The WAV file is damaged: ${data ? "its audio has no format" : "it contains no audio"}.`,
  );
}
