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
  for (const step of walkIndex(await openIndex(window, track))) {
    if (step instanceof BoxTable) await step.fill();
    else yield step;
  }
}

/**
 * Goes through the tables side by side, without waiting for anything: a table of which the next piece is wanted is given
 * out, to be filled before the walk goes on. Each step takes an entry of a table, so that the file bounds their number.
 */
function* walkIndex(index: Index): Generator<BoxTable | SampleRun[], void> {
  const { offsets, chunks, durations, sizes } = index;
  const isListed = index.size === 0;
  let runs: SampleRun[] = [];
  let samplesPerChunk = 0;
  let [alike, duration] = [0, 0];
  for (let chunk = 1; ; chunk += 1) {
    if (offsets.isExhausted) yield offsets;
    if (!offsets.isReady) return yield runs;
    let offset = offsets.value();
    offsets.advance();

    if (chunks.isExhausted) yield chunks;
    while (chunks.isReady && chunks.field(0) <= chunk) {
      samplesPerChunk = chunks.field(1);
      chunks.advance();
      if (chunks.isExhausted) yield chunks;
    }

    for (let left = samplesPerChunk; left > 0; ) {
      while (alike === 0) {
        if (durations.isExhausted) yield durations;
        if (!durations.isReady) return yield runs;
        [alike, duration] = [durations.field(0), durations.field(1)];
        durations.advance();
      }
      if (isListed && sizes.isExhausted) yield sizes;
      if (isListed && !sizes.isReady) return yield runs;
      const size = isListed ? sizes.field(0) : index.size;
      const count = isListed ? 1 : Math.min(left, alike);
      if (isListed) sizes.advance();
      runs.push({ offset, count, size, duration });
      offset += size * count;
      left -= count;
      alike -= count;
      if (runs.length < runsAtOnce) continue;
      yield runs;
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
    durations: await open("stts", 8, 8),
    size: uint32BigEndian(await contentOf(window, tables.get("stsz"), 12), 4),
    sizes: await open("stsz", 12, 4),
  };
};
