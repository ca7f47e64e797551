import { softwareName } from "../speech/wav-header.ts";
import type { ByteReader } from "./byte-reader.ts";
import { findSpeech, LevelMeter, type Recording, type Span } from "./find-speech.ts";

/** Longer chunks of description are no description; a text of 10,000 characters takes 40 kB at most. */
const maxDescriptionBytes = 64 * 1024;

type SampleFormat = {
  readonly isPcm16: boolean;
  readonly channels: number;
  readonly sampleRate: number;
  readonly bytesPerSecond: number;
};

/** Reads a WAV file to its end, chunk by chunk. A missing or false size ends with the file. */
export const readWav = async (reader: ByteReader): Promise<Recording> => {
  await reader.read(12);
  let format: SampleFormat | undefined;
  let spokenText: string | undefined;
  let audio: { durationSeconds: number; speech: readonly Span[] } | undefined;
  for (;;) {
    const header = await reader.read(8);
    if (header.length < 8) break;
    const id = header.toString("latin1", 0, 4);
    const size = header.readUInt32LE(4);
    const end = reader.position + size + (size % 2);
    if (id === "fmt ") format = readFormat(await reader.read(Math.min(size, maxDescriptionBytes)));
    if (id === "LIST") spokenText ??= readSpokenText(await reader.read(Math.min(size, maxDescriptionBytes)));
    if (id === "data" && format) audio ??= await readAudio(reader, size, format);
    await reader.skip(end - reader.position);
  }
  return {
    ...(audio ?? { durationSeconds: 0, speech: [] }),
    ...(spokenText === undefined ? {} : { spokenText }),
  };
};

const readFormat = (chunk: Buffer): SampleFormat | undefined => {
  if (chunk.length < 16) return undefined;
  const [pcm, extensible] = [1, 0xff_fe];
  const kind = chunk.readUInt16LE(0);
  // The extensible form names the encoding in the first two bytes of a GUID.
  const encoding = kind === extensible && chunk.length >= 26 ? chunk.readUInt16LE(24) : kind;
  const channels = chunk.readUInt16LE(2);
  const sampleRate = chunk.readUInt32LE(4);
  const isPlausible = channels > 0 && sampleRate >= 1_000 && sampleRate <= 1_000_000;
  const isPcm16 = encoding === pcm && chunk.readUInt16LE(14) === 16 && isPlausible;
  return {
    isPcm16,
    channels,
    sampleRate,
    bytesPerSecond: isPcm16 ? sampleRate * channels * 2 : chunk.readUInt32LE(8),
  };
};

const readAudio = async (reader: ByteReader, size: number, format: SampleFormat) => {
  // Writers that stream do not know the size: they leave all bits set, or none.
  const length = size === 0 || size === 0xff_ff_ff_ff ? Number.POSITIVE_INFINITY : size;
  const start = reader.position;
  const meter = format.isPcm16 ? new LevelMeter(format.sampleRate, format.channels) : undefined;
  for await (const chunk of reader.readChunks(length)) meter?.add(chunk);

  const durationSeconds = format.bytesPerSecond === 0 ? 0 : (reader.position - start) / format.bytesPerSecond;
  const speech = meter ? findSpeech(meter.levels, meter.windowSeconds) : [{ start: 0, end: durationSeconds }];
  return { durationSeconds, speech };
};

/** The comment of a list of information, if it is the sample server's own. */
const readSpokenText = (list: Buffer): string | undefined => {
  if (list.toString("latin1", 0, 4) !== "INFO") return undefined;
  const tags = new Map<string, string>();
  let position = 4;
  while (position + 8 <= list.length) {
    const id = list.toString("latin1", position, position + 4);
    const end = position + 8 + list.readUInt32LE(position + 4);
    tags.set(id, list.toString("utf8", position + 8, end).replace(/\0$/u, ""));
    position = end + (end % 2);
  }
  return tags.get("ISFT") === softwareName ? tags.get("ICMT") : undefined;
};
