import { UnreadableAudioError } from "../audio-errors.ts";
import type { SourceWindow } from "../audio-source.ts";
import { uint32BigEndian } from "../bytes.ts";
import { BoxTable, contentOf } from "./boxes.ts";
import type { Mp4Track } from "./mp4-file.ts";
import { runsAtOnce, type SampleRun } from "./sample-runs.ts";

/** The samples that the index of an MP4 file lists, in the order in which they play. */
export async function* indexedSamples(
  window: SourceWindow,
  track: Mp4Track,
): AsyncGenerator<SampleRun[], void> {
  const index = await openIndex(window, track);
  let runs: SampleRun[] = [];
  for (let chunk = 1; index.offsets.isReady || (await index.offsets.fill()); chunk += 1) {
    let offset = index.offsets.value();
    index.offsets.advance();
    for (let left = await samplesInChunk(index, chunk); left > 0; ) {
      if (index.alike === 0 && !(await nextDuration(index))) return yield runs;
      const isListed = index.size === 0;
      if (isListed && !(index.sizes.isReady || (await index.sizes.fill()))) return yield runs;
      const size = isListed ? index.sizes.field(0) : index.size;
      const count = isListed ? 1 : Math.min(left, index.alike);
      if (isListed) index.sizes.advance();
      runs.push({ offset, count, size, duration: index.duration });
      offset += size * count;
      left -= count;
      index.alike -= count;
      if (runs.length < runsAtOnce) continue;
      yield runs;
      runs = [];
    }
  }
  yield runs;
}

/** The tables of an index, each at its current entry. */
interface Index {
  /** Where chunks of samples start. */
  readonly offsets: BoxTable;
  /** From which chunk on how many samples are in each. */
  readonly chunks: BoxTable;
  samplesPerChunk: number;
  readonly durations: BoxTable;
  /** How many samples more have the current duration. */
  alike: number;
  duration: number;
  /** Of every sample; 0 when each has an entry in the table. */
  readonly size: number;
  readonly sizes: BoxTable;
}

const openIndex = async (window: SourceWindow, { tables }: Mp4Track): Promise<Index> => {
  /** After its version and other fields of its own, a table has the number of its entries. */
  const open = async (type: string, headBytes: number, entryBytes: number): Promise<BoxTable> => {
    const box = tables.get(type);
    const head = await contentOf(window, box, headBytes);
    const [start, end] = box ? [box.start + headBytes, box.end] : [0, 0];
    return new BoxTable(window, start, end, uint32BigEndian(head, headBytes - 4), entryBytes);
  };
  if (tables.has("stz2")) {
    throw new UnreadableAudioError("The MP4 file's index is of a kind that cannot be read.");
  }
  return {
    offsets: tables.has("co64") ? await open("co64", 8, 8) : await open("stco", 8, 4),
    chunks: await open("stsc", 8, 12),
    samplesPerChunk: 0,
    durations: await open("stts", 8, 8),
    alike: 0,
    duration: 0,
    size: uint32BigEndian(await contentOf(window, tables.get("stsz"), 12), 4),
    sizes: await open("stsz", 12, 4),
  };
};

const samplesInChunk = async (index: Index, chunk: number): Promise<number> => {
  while ((index.chunks.isReady || (await index.chunks.fill())) && index.chunks.field(0) <= chunk) {
    index.samplesPerChunk = index.chunks.field(1);
    index.chunks.advance();
  }
  return index.samplesPerChunk;
};

const nextDuration = async (index: Index): Promise<boolean> => {
  while (index.durations.isReady || (await index.durations.fill())) {
    index.alike = index.durations.field(0);
    index.duration = index.durations.field(1);
    index.durations.advance();
    if (index.alike > 0) return true;
  }
  return false;
};
