import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import { uint32BigEndian } from "../reading/bytes.ts";
import { BoxTable, contentOf } from "./boxes.ts";
import type { Mp4Track } from "./mp4-file.ts";
import { type Resumption, runsAtOnce, type SampleBatch, type SampleRun } from "./sample-runs.ts";

/** The samples in the index of an MP4 file, from a position on. */
export async function* indexedSamples(
  window: SourceWindow,
  track: Mp4Track,
  from: Resumption = { offset: 0, index: indexStart },
): AsyncGenerator<SampleBatch, void> {
  const { offset, index: position = indexStart } = from;
  for (const step of walkIndex(await openIndex(window, track, position), position, offset)) {
    if (step instanceof BoxTable) await step.fill();
    else yield step;
  }
}

type IndexPosition = NonNullable<Resumption["index"]>;

const indexStart: IndexPosition = {
  chunk: 0,
  chunkTaken: 0,
  chunkEntry: 0,
  sample: 0,
  durationEntry: 0,
  durationTaken: 0,
};

/**
 * Walks the tables in parallel, without awaiting anything: it yields a table whose next piece is needed, to be
 * filled before the walk continues. Each step reads an entry of a table, so the file bounds their number.
 * @param firstOffset of the first sample in the file, where it is not the first one of its chunk
 */
function* walkIndex(
  index: Index,
  from: IndexPosition,
  firstOffset: number,
): Generator<BoxTable | SampleBatch, void> {
  const { offsets, chunks, durations, sizes } = index;
  const isListed = index.size === 0;
  const walk = startWalk(from, firstOffset);
  const { position } = walk;
  for (; ; position.chunk += 1, position.chunkTaken = 0) {
    if (offsets.isExhausted) yield offsets;
    if (!offsets.isReady) return yield takeBatch(walk);
    walk.offset = position.chunkTaken > 0 ? firstOffset : offsets.value();
    offsets.advance();
    while (!findChunk(chunks, walk)) yield chunks;

    while (position.chunkTaken < walk.samplesPerChunk) {
      while (!findDuration(durations, walk)) yield durations;
      if (walk.alike === 0) return yield takeBatch(walk);
      if (isListed && sizes.isExhausted) yield sizes;
      if (isListed && !sizes.isReady) return yield takeBatch(walk);
      takeRun(index, walk);
      if (walk.runs.length >= runsAtOnce) yield takeBatch(walk);
    }
  }
}

/** Where a walk is, and the samples that it has found since the last batch. */
interface IndexWalk {
  readonly from: IndexPosition;
  readonly position: { -readonly [Name in keyof IndexPosition]: IndexPosition[Name] };
  /** Of the next sample, in the file. */
  offset: number;
  samplesPerChunk: number;
  /** The number of the next entry. */
  chunkEntry: number;
  durationEntry: number;
  /** How many of the next samples have the same duration. */
  alike: number;
  duration: number;
  runs: SampleRun[];
  /** Of the first of the runs. */
  resumption: Resumption;
}

const startWalk = (from: IndexPosition, offset: number): IndexWalk => ({
  from,
  position: { ...from },
  offset,
  samplesPerChunk: 0,
  chunkEntry: from.chunkEntry,
  durationEntry: from.durationEntry,
  alike: 0,
  duration: 0,
  runs: [],
  resumption: { offset, index: from },
});

const takeBatch = (walk: IndexWalk): SampleBatch => {
  const { runs, resumption } = walk;
  walk.runs = [];
  return { runs, resumption };
};

/** Moves to the entry of the current chunk. @returns false when the table's next piece is needed first. */
const findChunk = (chunks: BoxTable, walk: IndexWalk): boolean => {
  for (; chunks.isReady && chunks.field(0) <= walk.position.chunk + 1; chunks.advance()) {
    walk.samplesPerChunk = chunks.field(1);
    walk.position.chunkEntry = walk.chunkEntry;
    walk.chunkEntry += 1;
  }
  return !chunks.isExhausted;
};

/** Moves to the entry of the next sample. @returns false when the table's next piece is needed first. */
const findDuration = (durations: BoxTable, walk: IndexWalk): boolean => {
  for (; walk.alike === 0 && durations.isReady; durations.advance()) {
    const { position, from } = walk;
    const alike = durations.field(0);
    position.durationTaken =
      walk.durationEntry === from.durationEntry ? Math.min(alike, from.durationTaken) : 0;
    position.durationEntry = walk.durationEntry;
    walk.durationEntry += 1;
    walk.alike = alike - position.durationTaken;
    walk.duration = durations.field(1);
  }
  return walk.alike > 0 || !durations.isExhausted;
};

/** Takes the next sample; or, when all have one size, those of the chunk that play equally long. */
const takeRun = ({ size: commonSize, sizes }: Index, walk: IndexWalk): void => {
  const { position, offset, duration } = walk;
  const isListed = commonSize === 0;
  const size = isListed ? sizes.field(0) : commonSize;
  const count = isListed ? 1 : Math.min(walk.samplesPerChunk - position.chunkTaken, walk.alike);
  if (isListed) sizes.advance();
  if (walk.runs.length === 0) walk.resumption = { offset, index: { ...position } };
  walk.runs.push({ offset, count, size, duration });
  walk.offset += size * count;
  walk.alike -= count;
  position.chunkTaken += count;
  position.durationTaken += count;
  position.sample += count;
};

/** The tables of an index, each at its current entry. */
interface Index {
  /** Where chunks of samples start. */
  readonly offsets: BoxTable;
  /** From which chunk on how many samples are in each. */
  readonly chunks: BoxTable;
  /** How many samples have which duration. */
  readonly durations: BoxTable;
  /** Of every sample; 0 when each has an entry in the table. */
  readonly size: number;
  readonly sizes: BoxTable;
}

const openIndex = async (
  window: SourceWindow,
  { tables }: Mp4Track,
  { chunk, chunkEntry, durationEntry, sample }: IndexPosition,
): Promise<Index> => {
  /** After its version and other fields of its own, a table has the number of its entries. */
  const open = async (
    type: string,
    headBytes: number,
    entryBytes: number,
    skipped: number,
  ): Promise<BoxTable> => {
    const box = tables.get(type);
    const head = await contentOf(window, box, headBytes);
    const [start, end] = box ? [box.start + headBytes + skipped * entryBytes, box.end] : [0, 0];
    const entries = Math.max(0, uint32BigEndian(head, headBytes - 4) - skipped);
    return new BoxTable(window, start, end, entries, entryBytes);
  };
  if (tables.has("stz2")) {
    throw new UnreadableAudioError("The MP4 file has an unsupported kind of index.");
  }
  return {
    offsets: tables.has("co64") ? await open("co64", 8, 8, chunk) : await open("stco", 8, 4, chunk),
    chunks: await open("stsc", 8, 12, chunkEntry),
    durations: await open("stts", 8, 8, durationEntry),
    size: uint32BigEndian(await contentOf(window, tables.get("stsz"), 12), 4),
    sizes: await open("stsz", 12, 4, sample),
  };
};
