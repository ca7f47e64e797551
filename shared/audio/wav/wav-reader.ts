import { blockReader } from "../blocks/block-reader.ts";
import { maxChunks } from "../blocks/chunks.ts";
import { frameReader } from "../mpeg/frame-reader.ts";
import type { FrameFormat } from "../mpeg/frames.ts";
import { mp2Format } from "../mpeg/mp2.ts";
import { mp3Format } from "../mpeg/mp3.ts";
import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import { concatenate, hasText, uint32LittleEndian } from "../reading/bytes.ts";
import { type ContainerReader, chosenReader } from "../reading/container.ts";
import { unknownSize, type WavLayout, walkWav } from "./wav-structure.ts";

/** Encodings whose frames say themselves how long they are; the rates in the header may be any. */
const frameFormats: ReadonlyMap<string, FrameFormat> = new Map([
  ["mp3", mp3Format],
  ["mp2", mp2Format],
]);

/**
 * Reads what a description as in WAV precedes.
 * @param writeHead what a file of the same kind starts with; the length of its audio is unknown without `dataBytes`
 */
export const waveReader = (
  layout: WavLayout,
  writeHead: (layout: WavLayout, dataBytes?: number, samples?: number) => Uint8Array,
): ContainerReader => {
  const { format, dataStart, dataBytes } = layout;
  const frames = frameFormats.get(format.codec);
  if (frames) {
    const head = writeHead(layout);
    return frameReader(async () => ({ codec: format.codec, format: frames, head, start: dataStart }));
  }
  return blockReader({
    ...format,
    dataStart,
    dataBytes,
    writeHead: (bytes, blocks) => writeHead(layout, bytes, blocks * format.samplesPerBlock),
  });
};

const readLayout = async (window: SourceWindow): Promise<WavLayout> => {
  const walk = walkWav();
  let step = walk.next();
  while (!step.done) step = walk.next(await window.read(step.value.offset, step.value.length));
  return step.value;
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

/** A minimal header; the format chunk is unchanged, because it may contain a channel mask. */
const writeHead = ({ format }: WavLayout, dataBytes = unknownSize, samples?: number): Uint8Array => {
  const formatChunk = chunk("fmt ", format.chunk);
  // Required of everything but plain PCM.
  const hasFact = format.codec !== "pcm" && samples !== undefined;
  const factChunk = hasFact ? chunk("fact", uint32(samples)) : new Uint8Array(0);
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

/** WAV in all its forms: RIFF and RF64, finished or streamed, samples of every size, common compressions. */
export const wavReader = chosenReader(async ({ window }) => {
  const layout = await readLayout(window);
  await checkIsLast(layout, window);
  return waveReader(layout, writeHead);
});
