import { UnreadableAudioError } from "../reading/audio-errors.ts";
import { copyRange, type SourceWindow } from "../reading/audio-source.ts";
import type { ContainerReader } from "../reading/container.ts";
import { type Cut, type CutPoint, pointSpacing } from "../reading/piece.ts";

/** Audio behind a header, in blocks that take as many bytes each: samples, or those of a simple compression. */
export interface BlockFile {
  readonly codec: string;
  /** In hertz. */
  readonly sampleRate: number;
  readonly channels: number;
  /** The bytes that belong together: one sample of each channel, or a block of a compressed encoding. */
  readonly blockBytes: number;
  /** Samples of each channel. */
  readonly samplesPerBlock: number;
  readonly dataStart: number;
  /** As the file says; undefined when it was written before the length was known. */
  readonly dataBytes: number | undefined;
  /** What a file of the same kind with a part of the audio starts with. */
  writeHead(dataBytes: number, blocks: number): Uint8Array;
}

/** What fills up an odd length. */
const paddingBytes = 1;

/** The bytes of audio that a file of some bytes really has. */
const availableBytes = (
  { dataBytes = Number.POSITIVE_INFINITY, dataStart }: BlockFile,
  size: number,
): number => Math.max(0, Math.min(dataBytes, size - dataStart));

/** Decoders play the part that there is of a compressed block. */
const playedBlocks = (file: BlockFile, size: number): number => {
  const blocks = availableBytes(file, size) / file.blockBytes;
  return file.samplesPerBlock > 1 ? blocks : Math.floor(blocks);
};

const pointAt = (file: BlockFile, ticks: number, size: number): CutPoint => {
  const { blockBytes, samplesPerBlock, sampleRate, dataStart } = file;
  const bytes = ticks * blockBytes;
  const seconds = (Math.min(ticks, playedBlocks(file, size)) * samplesPerBlock) / sampleRate;
  return { position: { offset: dataStart + bytes, ticks }, bytes, startsAt: seconds, endsAt: seconds };
};

async function* pointsOf(file: BlockFile, size: number): AsyncGenerator<Iterable<CutPoint>, void> {
  const blocks = Math.ceil(playedBlocks(file, size));
  const step = Math.ceil((pointSpacing * file.sampleRate) / file.samplesPerBlock);
  for (let ticks = 0; ticks < blocks; ticks += step) yield [pointAt(file, ticks, size)];
  yield [pointAt(file, blocks, size)];
}

async function* cutBlocks(
  file: BlockFile,
  window: SourceWindow,
  { from, until }: Cut,
): AsyncGenerator<Uint8Array, void> {
  const { blockBytes, dataStart } = file;
  const first = from?.ticks ?? 0;
  const blocks = Math.max(0, Math.min(until, Math.ceil(playedBlocks(file, window.size))) - first);
  const rest = Math.max(0, availableBytes(file, window.size) - first * blockBytes);
  const bytes = Math.min(blocks * blockBytes, rest);
  const start = dataStart + first * blockBytes;
  yield file.writeHead(bytes, blocks);
  yield* copyRange(window, start, start + bytes);
  if (bytes % 2 === 1) yield Uint8Array.of(0);
}

/** Nothing has to be read to know where blocks are, and none depends on the one before, or only for its first milliseconds. */
export const blockReader = (file: BlockFile): ContainerReader => {
  const { codec, sampleRate, channels, samplesPerBlock } = file;
  return {
    async measure({ window }) {
      const durationSeconds = (playedBlocks(file, window.size) * samplesPerBlock) / sampleRate;
      return { codec, durationSeconds, sampleRate, channels };
    },

    ticksAt: async (_file, seconds) => Math.ceil(Math.round(seconds * sampleRate) / samplesPerBlock),

    cutPoints: async ({ window }) => ({
      headBytes: file.writeHead(0, 0).length + paddingBytes,
      points: pointsOf(file, window.size),
    }),

    cut: ({ window }, cut) => cutBlocks(file, window, cut),
  };
};

const maxChannels = 32;

const implausible = (kind: string): UnreadableAudioError =>
  new UnreadableAudioError(`The ${kind} file is damaged: its description is implausible.`);

/** @throws UnreadableAudioError for numbers that no audio has */
export const checkNumbers = (
  { channels, sampleRate }: Pick<BlockFile, "channels" | "sampleRate">,
  kind: string,
): void => {
  const isPlausible = channels > 0 && channels <= maxChannels && sampleRate >= 1_000 && sampleRate <= 768_000;
  if (!isPlausible) throw implausible(kind);
};

/** The same audio, if its numbers can be true. @throws UnreadableAudioError */
export const checkBlocks = (file: BlockFile, kind: string): BlockFile => {
  checkNumbers(file, kind);
  if (file.blockBytes === 0 || file.blockBytes >= 1 << 16) throw implausible(kind);
  return file;
};

/** Encodings whose blocks are as long in every file, for one channel. */
const simpleEncodings: ReadonlyMap<string, readonly [codec: string, bytes: number, samples: number]> =
  new Map([
    ["ulaw", ["mulaw", 1, 1]],
    ["alaw", ["alaw", 1, 1]],
    ["fl32", ["float", 4, 1]],
    ["fl64", ["float", 8, 1]],
    ["ima4", ["adpcm", 34, 64]],
    ["gsm ", ["gsm", 33, 160]],
  ]);

/**
 * The blocks of an encoding of QuickTime, by its code of four characters.
 * @param bitsPerSample of samples that are not compressed
 * @throws UnreadableAudioError for an encoding that is unknown
 */
export const blocksOf = (
  encoding: string,
  {
    channels,
    bitsPerSample,
    kind,
  }: { readonly channels: number; readonly bitsPerSample: number; readonly kind: string },
): Pick<BlockFile, "codec" | "blockBytes" | "samplesPerBlock"> => {
  if (sampleEncodings.has(encoding))
    return { codec: "pcm", blockBytes: channels * Math.ceil(bitsPerSample / 8), samplesPerBlock: 1 };
  const [codec, bytes, samplesPerBlock] = simpleEncodings.get(encoding.toLowerCase()) ?? [];
  if (!codec || !bytes || !samplesPerBlock)
    throw new UnreadableAudioError(`The ${kind} file's audio is in an unknown encoding.`);
  return { codec, blockBytes: channels * bytes, samplesPerBlock };
};

const sampleEncodings: ReadonlySet<string> = new Set([
  "NONE",
  "twos",
  "sowt",
  "raw ",
  "in24",
  "in32",
  "42ni",
  "23ni",
  "lpcm",
]);
