import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { Mp4File } from "./mp4-file.ts";
import type { CollectedSamples } from "./sample-runs.ts";

/** The part that is played, in ticks from the first sample. */
interface PlayedSpan {
  readonly playFrom: number;
  readonly playUntil: number;
}

/**
 * The start of an MP4 file with one track, up to its samples, which follow in one chunk and are described as in the
 * old file.
 */
export const writeMp4Head = (file: Mp4File, samples: CollectedSamples, played: PlayedSpan): Uint8Array => {
  const dataBytes = samples.ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  const index = (dataStart: number): Buffer => writeIndex(file, samples, played, dataStart);
  const dataHead = Buffer.concat([uint32(dataBytes + 8), Buffer.from("mdat")]);
  const headBytes = file.typeBox.length + index(0).length + dataHead.length;
  return Buffer.concat([file.typeBox, index(headBytes), dataHead]);
};

const writeIndex = (
  { track: { timescale, description } }: Mp4File,
  samples: CollectedSamples,
  { playFrom, playUntil }: PlayedSpan,
  dataStart: number,
): Buffer => {
  const heard = Math.max(0, playUntil - playFrom);
  const movieHeader = versioned(
    "mvhd",
    uint32(0, 0, timescale, heard),
    rateAndVolume,
    matrix,
    zeros(24),
    uint32(2),
  );
  const trackHeader = box(
    "tkhd",
    uint32(trackIsUsed, 0, 0, 1, 0, heard, 0, 0, 0),
    Buffer.from([1, 0, 0, 0]),
    matrix,
    zeros(8),
  );
  const edits = box("edts", versioned("elst", uint32(1, heard, playFrom, normalRate)));
  const mediaHeader = versioned("mdhd", uint32(0, 0, timescale, samples.ticks), unknownLanguage);
  const handler = versioned("hdlr", uint32(0), Buffer.from("soun"), zeros(13));
  const dataReference = box("dinf", versioned("dref", uint32(1), box("url ", uint32(dataIsHere))));
  const table = box(
    "stbl",
    versioned("stsd", uint32(1), description.entry),
    versioned("stts", durationTable(samples)),
    versioned("stsc", uint32(1, 1, sampleCount(samples), 1)),
    versioned("stsz", sizeTable(samples)),
    versioned("stco", uint32(1, dataStart)),
  );
  const media = box("minf", versioned("smhd", uint32(0)), dataReference, table);
  return box("moov", movieHeader, box("trak", trackHeader, edits, box("mdia", mediaHeader, handler, media)));
};

const trackIsUsed = 7;
const dataIsHere = 1;
const normalRate = 0x00010000;

const sampleCount = ({ runs }: CollectedSamples): number => runs.reduce((sum, { count }) => sum + count, 0);

const durationTable = ({ runs }: CollectedSamples): Buffer => {
  const entries: { count: number; readonly duration: number }[] = [];
  for (const { count, duration } of runs) {
    const last = entries.at(-1);
    if (last?.duration === duration) last.count += count;
    else entries.push({ count, duration });
  }
  return Buffer.concat([
    uint32(entries.length),
    ...entries.map(({ count, duration }) => uint32(count, duration)),
  ]);
};

/** Sixteen megabytes of table. */
const maxListedSizes = 4_000_000;

/** One size for all, as PCM has, or a list. */
const sizeTable = (samples: CollectedSamples): Buffer => {
  const count = sampleCount(samples);
  const [first] = samples.runs;
  const isUniform = first && first.size > 0 && samples.runs.every(({ size }) => size === first.size);
  if (isUniform) return uint32(first.size, count);
  if (count > maxListedSizes) {
    throw new UnreadableAudioError("The MP4 file is damaged: its index is implausible.");
  }

  const table = Buffer.alloc(8 + count * 4);
  table.writeUInt32BE(count, 4);
  let offset = 8;
  for (const run of samples.runs) {
    for (let written = 0; written < run.count; written += 1) offset = table.writeUInt32BE(run.size, offset);
  }
  return table;
};

/** 32-bit numbers; larger ones, which are always wrong, become the maximum. */
const uint32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(Math.min(value, 0xffffffff), index * 4);
  return bytes;
};

const zeros = (length: number): Buffer => Buffer.alloc(length);

const box = (type: string, ...content: readonly Uint8Array[]): Buffer => {
  const length = content.reduce((sum, part) => sum + part.length, 8);
  return Buffer.concat([uint32(length), Buffer.from(type, "latin1"), ...content]);
};

/** A box that starts with a version and flags, here always zero. */
const versioned = (type: string, ...content: readonly Uint8Array[]): Buffer =>
  box(type, uint32(0), ...content);

/** Normal speed, full volume. */
const rateAndVolume = Buffer.concat([uint32(normalRate), Buffer.from([1, 0]), zeros(10)]);

/** No transformation of the picture: every track must state one, even without a picture. */
const matrix = uint32(normalRate, 0, 0, 0, normalRate, 0, 0, 0, 0x40000000);

/** `und`, five bits a letter. */
const unknownLanguage = Buffer.from([0x55, 0xc4, 0, 0]);
