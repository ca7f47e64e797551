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
  const position = { ...from };
  let runs: SampleRun[] = [];
  let resumption: Resumption = { offset: firstOffset, index: from };
  let samplesPerChunk = 0;
  let [chunkEntries, durationEntries] = [from.chunkEntry, from.durationEntry];
  let [alike, duration] = [0, 0];
  for (; ; position.chunk += 1, position.chunkTaken = 0) {
    if (offsets.isExhausted) yield offsets;
    if (!offsets.isReady) return yield { runs, resumption };
    let offset = position.chunkTaken > 0 ? firstOffset : offsets.value();
    offsets.advance();

    if (chunks.isExhausted) yield chunks;
    while (chunks.isReady && chunks.field(0) <= position.chunk + 1) {
      samplesPerChunk = chunks.field(1);
      position.chunkEntry = chunkEntries;
      chunkEntries += 1;
      chunks.advance();
      if (chunks.isExhausted) yield chunks;
    }

    while (position.chunkTaken < samplesPerChunk) {
      while (alike === 0) {
        if (durations.isExhausted) yield durations;
        if (!durations.isReady) return yield { runs, resumption };
        [alike, duration] = [durations.field(0), durations.field(1)];
        position.durationTaken =
          durationEntries === from.durationEntry ? Math.min(alike, from.durationTaken) : 0;
        alike -= position.durationTaken;
        position.durationEntry = durationEntries;
        durationEntries += 1;
        durations.advance();
      }
      if (isListed && sizes.isExhausted) yield sizes;
      if (isListed && !sizes.isReady) return yield { runs, resumption };
      if (runs.length === 0) resumption = { offset, index: { ...position } };
      const size = isListed ? sizes.field(0) : index.size;
      const count = isListed ? 1 : Math.min(samplesPerChunk - position.chunkTaken, alike);
      if (isListed) sizes.advance();
      runs.push({ offset, count, size, duration });
      offset += size * count;
      alike -= count;
      position.chunkTaken += count;
      position.durationTaken += count;
      position.sample += count;
      if (runs.length < runsAtOnce) continue;
      yield { runs, resumption };
      runs = [];
    }
  }
}

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
    throw new UnreadableAudioError("The MP4 file's index is of a kind that cannot be read.");
  }
  return {
    offsets: tables.has("co64") ? await open("co64", 8, 8, chunk) : await open("stco", 8, 4, chunk),
    chunks: await open("stsc", 8, 12, chunkEntry),
    durations: await open("stts", 8, 8, durationEntry),
    size: uint32BigEndian(await contentOf(window, tables.get("stsz"), 12), 4),
    sizes: await open("stsz", 12, 4, sample),
  };
};
