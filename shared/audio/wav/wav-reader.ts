import { countSamples } from "../mpeg/frames.ts";
import { mp3Format } from "../mpeg/mp3.ts";
import { UnreadableAudioError, UntrimmableAudioError } from "../reading/audio-errors.ts";
import { copyRange, type SourceWindow } from "../reading/audio-source.ts";
import { concatenate, hasText, uint32LittleEndian } from "../reading/bytes.ts";
import type { ContainerFile, ContainerReader } from "../reading/container.ts";
import { type Cut, type CutPoint, pointSpacing } from "../reading/piece.ts";
import { maxChunks, unknownSize, type WavLayout, walkWav } from "./wav-structure.ts";

/** WAV in all its forms: RIFF and RF64, finished or streamed, samples of every size, common compressions. */
export const wavReader: ContainerReader = {
  async measure({ window }) {
    const layout = await readLayout(window);
    await checkIsLast(layout, window);
    const { codec, sampleRate, channels } = layout.format;
    const seconds = durationOf(layout, window.size) ?? (await durationOfMp3(layout, window));
    return { codec, durationSeconds: seconds, sampleRate, channels };
  },

  ticksAt: async ({ window }, seconds) => Math.round(seconds * (await readLayout(window)).format.sampleRate),

  async cutPoints({ window }) {
    const layout = await readLayout(window);
    const { samples, codec, chunk } = layout.format;
    if (!samples) throw new UntrimmableAudioError(codec, "WAV");
    return { headBytes: chunk.length + maxRestBytes, points: blocksOf(layout, window.size) };
  },

  cut: cutWav,
};

/** All of a header but its format chunk. */
const maxRestBytes = 64;

async function* cutWav({ window }: ContainerFile, { from, until }: Cut): AsyncGenerator<Uint8Array, void> {
  const layout = await readLayout(window);
  const { samples, codec, blockBytes } = layout.format;
  if (!samples) throw new UntrimmableAudioError(codec, "WAV");
  const first = from?.ticks ?? 0;
  const blocks = Math.min(until, wholeBlocks(layout, window.size)) - first;
  const bytes = blocks * blockBytes;
  const start = layout.dataStart + first * blockBytes;
  yield headerFor(layout, bytes, blocks);
  yield* copyRange(window, start, start + bytes);
  if (bytes % 2 === 1) yield Uint8Array.of(0);
}

/** One block is a sample of each channel; nothing has to be read to know where they are. */
async function* blocksOf(layout: WavLayout, size: number): AsyncGenerator<Iterable<CutPoint>, void> {
  const { sampleRate, blockBytes } = layout.format;
  const blocks = wholeBlocks(layout, size);
  const pointAt = (ticks: number): CutPoint => {
    const [bytes, seconds] = [ticks * blockBytes, ticks / sampleRate];
    return {
      position: { offset: layout.dataStart + bytes, ticks },
      bytes,
      startsAt: seconds,
      endsAt: seconds,
    };
  };
  const step = Math.ceil(pointSpacing * sampleRate);
  for (let ticks = 0; ticks < blocks; ticks += step) yield [pointAt(ticks)];
  yield [pointAt(blocks)];
}

const readLayout = async (window: SourceWindow): Promise<WavLayout> => {
  const walk = walkWav();
  let step = walk.next();
  while (!step.done) step = walk.next(await window.read(step.value.offset, step.value.length));
  return step.value;
};

/** The bytes of audio that the file really has. */
const availableBytes = (
  { dataStart, dataBytes = Number.POSITIVE_INFINITY }: WavLayout,
  size: number,
): number => Math.min(dataBytes, size - dataStart);

const wholeBlocks = (layout: WavLayout, size: number): number =>
  Math.floor(availableBytes(layout, size) / layout.format.blockBytes);

/** Undefined for MP3, whose frames say it. */
const durationOf = (layout: WavLayout, size: number): number | undefined => {
  const { samples, codec, sampleRate, blockBytes, samplesPerBlock } = layout.format;
  if (codec === "mp3") return undefined;
  if (samples) return wholeBlocks(layout, size) / sampleRate;
  return ((availableBytes(layout, size) / blockBytes) * samplesPerBlock) / sampleRate;
};

/** Some decoders continue with a second part of audio, which a cut would not. @throws UnreadableAudioError */
const checkIsLast = async ({ dataStart, dataBytes }: WavLayout, window: SourceWindow): Promise<void> => {
  const end = dataStart + (dataBytes ?? window.size);
  if (end > window.size) return;
  // Some writers leave out the byte that fills up an odd length.
  for (const start of new Set([end, end + (end % 2)])) {
    let offset = start;
    for (let count = 0; count < maxChunks && offset + 8 <= window.size; count += 1) {
      const header = await window.read(offset, 8);
      const size = uint32LittleEndian(header, 4);
      if (hasText(header, 0, "data") && size > 0) {
        throw new UnreadableAudioError("The WAV file is damaged: it contains several parts of audio.");
      }
      offset += 8 + size + (size % 2);
    }
  }
};

/** Counts the frames as in an MP3 file: the rate in the header may be of any. */
const durationOfMp3 = async ({ dataStart }: WavLayout, window: SourceWindow): Promise<number> => {
  const reference = mp3Format.parse(await window.read(dataStart, mp3Format.maxFrameBytes), 0);
  if (!reference) throw new UnreadableAudioError("The WAV file is damaged: it contains no MP3 frame.");
  return (
    (await countSamples(window, { format: mp3Format, start: dataStart, reference })) / reference.sampleRate
  );
};

/** A minimal header; the format chunk is unchanged, because it may contain a channel mask. */
const headerFor = ({ format }: WavLayout, dataBytes: number, samples: number): Uint8Array => {
  const formatChunk = chunk("fmt ", format.chunk);
  // Required of everything but plain PCM.
  const factChunk = format.codec === "pcm" ? new Uint8Array(0) : chunk("fact", uint32(samples));
  const content = 4 + formatChunk.length + factChunk.length + 8 + dataBytes + (dataBytes % 2);
  return concatenate(
    tag("RIFF"),
    uint32(content),
    tag("WAVE"),
    formatChunk,
    factChunk,
    tag("data"),
    uint32(dataBytes),
  );
};

const chunk = (id: string, content: Uint8Array): Uint8Array =>
  concatenate(tag(id), uint32(content.length), content, new Uint8Array(content.length % 2));

const tag = (text: string): Uint8Array => Buffer.from(text, "latin1");

const uint32 = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(Math.min(value, unknownSize));
  return bytes;
};
