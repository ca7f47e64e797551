import type { SourceWindow } from "../reading/audio-source.ts";
import { uint32BigEndian } from "../reading/bytes.ts";
import { type Box, BoxTable, boxesIn, contentOf } from "./boxes.ts";
import type { FragmentDefaults, Mp4AudioTrack, Mp4File } from "./mp4-file.ts";
import { runsAtOnce, type SampleBatch, type SampleRun } from "./sample-runs.ts";

/** A track of a file whose fragments may follow its index. */
export type IndexedTrack = Mp4AudioTrack & Pick<Mp4File, "indexEnd">;

/** The samples that the fragments of an MP4 file list from one of them on. */
export async function* fragmentSamples(
  window: SourceWindow,
  file: IndexedTrack,
  start = file.indexEnd,
): AsyncGenerator<SampleBatch, void> {
  for await (const fragment of boxesIn(window, start, window.size)) {
    if (fragment.type !== "moof" || !fragment.isWhole) continue;
    const resumption = { offset: fragment.offset };
    for await (const part of boxesIn(window, fragment.start, fragment.end)) {
      if (part.type !== "traf") continue;
      for await (const runs of samplesOfPart(window, file, part, fragment.offset)) yield { runs, resumption };
    }
  }
}

interface PartHeader {
  readonly trackId: number;
  readonly base: number;
  readonly defaults: FragmentDefaults;
}

async function* samplesOfPart(
  window: SourceWindow,
  file: IndexedTrack,
  part: Box,
  fragmentStart: number,
): AsyncGenerator<SampleRun[], void> {
  let header: PartHeader = { trackId: 0, base: fragmentStart, defaults: file.defaults };
  let next = fragmentStart;
  for await (const box of boxesIn(window, part.start, part.end)) {
    if (box.type === "tfhd") {
      header = parsePartHeader(await contentOf(window, box, 64), header);
      next = header.base;
    }
    if (box.type !== "trun" || header.trackId !== file.track.id) continue;
    for await (const runs of samplesOfRun(window, box, header, next)) {
      const last = runs.at(-1);
      if (last) next = last.offset + last.size * last.count;
      yield runs;
    }
  }
}

/** The optional fields of a part's header, in their order: flag and length. */
const baseOffsetFlag = 0x1;
const descriptionFlag = 0x2;
const durationFlag = 0x8;
const sizeFlag = 0x10;

const parsePartHeader = (content: Uint8Array, { base, defaults }: PartHeader): PartHeader => {
  const flags = uint32BigEndian(content, 0);
  let offset = 8;
  const take = (flag: number, otherwise: number, length = 4): number => {
    if (!(flags & flag)) return otherwise;
    offset += length;
    const low = uint32BigEndian(content, offset - 4);
    return length === 8 ? uint32BigEndian(content, offset - 8) * 2 ** 32 + low : low;
  };
  const ownBase = take(baseOffsetFlag, base, 8);
  take(descriptionFlag, 0);
  const duration = take(durationFlag, defaults.duration);
  const size = take(sizeFlag, defaults.size);
  return { trackId: uint32BigEndian(content, 4), base: ownBase, defaults: { duration, size } };
};

const dataOffsetFlag = 0x1;
const firstSampleFlag = 0x4;
const sampleDurationFlag = 0x100;
const sampleSizeFlag = 0x200;
const sampleFlagsFlag = 0x400;
const sampleCompositionFlag = 0x800;

async function* samplesOfRun(
  window: SourceWindow,
  box: Box,
  { base, defaults }: PartHeader,
  next: number,
): AsyncGenerator<SampleRun[], void> {
  const head = await contentOf(window, box, 16);
  const flags = uint32BigEndian(head, 0);
  const count = uint32BigEndian(head, 4);
  const headBytes = 8 + (flags & dataOffsetFlag ? 4 : 0) + (flags & firstSampleFlag ? 4 : 0);
  const fields = [sampleDurationFlag, sampleSizeFlag, sampleFlagsFlag, sampleCompositionFlag].filter(
    (flag) => flags & flag,
  );
  let offset = flags & dataOffsetFlag ? base + (uint32BigEndian(head, 8) | 0) : next;
  if (fields.length === 0) {
    yield [{ offset, count, ...defaults }];
    return;
  }

  const durationField = fields.indexOf(sampleDurationFlag);
  const sizeField = fields.indexOf(sampleSizeFlag);
  const samples = new BoxTable(window, box.start + headBytes, box.end, count, fields.length * 4);
  let runs: SampleRun[] = [];
  for (; samples.isReady || (await samples.fill()); samples.advance()) {
    const size = sizeField < 0 ? defaults.size : samples.field(sizeField);
    const duration = durationField < 0 ? defaults.duration : samples.field(durationField);
    runs.push({ offset, count: 1, size, duration });
    offset += size;
    if (runs.length < runsAtOnce) continue;
    yield runs;
    runs = [];
  }
  yield runs;
}
