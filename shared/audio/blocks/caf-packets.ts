import { PacketReader } from "../mp4/mp4-packets.ts";
import { collectSamples, runsAtOnce, type SampleBatch, type SampleRun } from "../mp4/sample-runs.ts";
import { packetClock } from "../packets/packet-clock.ts";
import { copyRange, type SourceWindow } from "../reading/audio-source.ts";
import { byteAt } from "../reading/bytes.ts";
import type { ContainerReader, Measurement } from "../reading/container.ts";
import { compareWithPackets, type FileSection, type PacketTally } from "../reading/packet-tally.ts";
import { type Cut, type CutPoint, pointSpacing } from "../reading/piece.ts";
import type { Chunk } from "./chunks.ts";

/** A CAF file whose packets differ in size, which a table lists. */
export interface CafPackets {
  readonly codec: string;
  readonly sampleRate: number;
  readonly channels: number;
  readonly configuration: Uint8Array;
  /** Of a packet; 0 where the table has it. */
  readonly bytesPerPacket: number;
  readonly samplesPerPacket: number;
  /** Samples that players leave out at the start, and those that they play; 0 where the writer did not know. */
  readonly priming: number;
  readonly validSamples: number;
  /** The numbers in the table, and the packets. */
  readonly table: Chunk;
  readonly data: Chunk;
  /** What a file with these packets starts with. */
  writeHead(table: PacketTable, dataBytes: number): Uint8Array;
}

/** The table of a new file. */
interface PacketTable extends Pick<CafPackets, "priming"> {
  readonly numbers: Uint8Array;
  readonly packets: number;
  readonly samples: number;
}

const tablePieceBytes = 1 << 18;
const maxNumberBytes = 5;

/** A packet has its size in the table, and how long it plays. */
const maxEntryBytes = 2 * maxNumberBytes;

/** Numbers of seven bits a byte, the highest first; all but the last byte of one have their highest bit set. */
function* numbersIn(bytes: Uint8Array, rest: { offset: number }, isLast: boolean): Generator<number, void> {
  while (rest.offset < bytes.length) {
    let [value, end] = [0, rest.offset];
    for (; end < bytes.length && end - rest.offset < maxNumberBytes; end += 1) {
      value = value * 128 + (byteAt(bytes, end) & 127);
      if (byteAt(bytes, end) < 128) break;
    }
    if (end === bytes.length && !isLast) return;
    rest.offset = end + 1;
    yield value;
  }
}

/** The packets that the file has, in groups to be used before the next call. */
async function* packetsOf(window: SourceWindow, file: CafPackets): AsyncGenerator<SampleBatch, void> {
  const { bytesPerPacket, samplesPerPacket, table, data } = file;
  const tables = window.sibling();
  const tableEnd = Math.min(window.size, table.start + table.length);
  const dataEnd = Math.min(window.size, data.start + data.length);
  const resumption = { offset: 0 };
  let offset = data.start;
  let size: number | undefined;
  for (let position = table.start; position < tableEnd; ) {
    const bytes = await tables.read(position, Math.min(tablePieceBytes, tableEnd - position));
    const rest = { offset: 0 };
    let runs: SampleRun[] = [];
    for (const number of numbersIn(bytes, rest, position + bytes.length >= tableEnd)) {
      const isFirst = bytesPerPacket === 0 && samplesPerPacket === 0 && size === undefined;
      if (isFirst) {
        size = number;
        continue;
      }
      const run = {
        offset,
        count: 1,
        size: size ?? (bytesPerPacket || number),
        duration: samplesPerPacket || number,
      };
      size = undefined;
      offset += run.size;
      if (offset > dataEnd) return yield { runs, resumption };
      runs.push(run);
      if (runs.length < runsAtOnce) continue;
      yield { runs, resumption };
      runs = [];
    }
    yield { runs, resumption };
    if (rest.offset === 0) return;
    position += rest.offset;
  }
}

const writeNumber = (value: number): number[] => {
  const bytes = [value & 127];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift(128 | (rest & 127));
  return bytes;
};

const secondsAt = ({ priming, sampleRate }: CafPackets, ticks: number): number =>
  Math.max(0, ticks - priming) / sampleRate;

/** Adds up the packets that start in some parts of the file, unless their sizes are enough. */
const countPackets = async (
  window: SourceWindow,
  file: CafPackets,
  tally: PacketTally,
  parts: readonly FileSection[],
): Promise<void> => {
  const clock = packetClock(file);
  const packets = new PacketReader(window.sibling(), parts);
  let ticks = 0;
  tally.isWhole = clock.needsOnlySize;
  tally.bytes = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  for await (const { runs } of packetsOf(window, file)) {
    for (const run of runs) {
      const steps = packets.secondsOf(run, clock);
      let step = steps.next();
      for (; !step.done; step = steps.next()) await packets.load(step.value);
      tally.add(step.value);
      ticks += run.duration;
      tally.reach(ticks / file.sampleRate);
    }
  }
};

const measurePackets = async (window: SourceWindow, file: CafPackets): Promise<Measurement> => {
  const { codec, sampleRate, channels, priming, validSamples } = file;
  let ticks = 0;
  for await (const { runs } of packetsOf(window, file)) for (const { duration } of runs) ticks += duration;
  const listed = secondsAt(file, ticks);
  const stated = validSamples > 0 ? Math.min(listed, validSamples / sampleRate) : listed;
  let played = 0;
  const unheard = priming / sampleRate;
  const length = await compareWithPackets(window, { stated, unheard }, async (tally, parts) => {
    await countPackets(window, file, tally, parts);
    if (tally.isWhole || parts.length === 1) played = tally.seconds - unheard;
  });
  // Of a last packet that is shorter, only its bytes say so.
  const durationSeconds = played > 0 ? Math.min(length.durationSeconds, played) : length.durationSeconds;
  return { codec, ...length, durationSeconds, sampleRate, channels };
};

async function* pointsOf(window: SourceWindow, file: CafPackets): AsyncGenerator<Iterable<CutPoint>, void> {
  let [ticks, bytes, packets, nextAt] = [0, 0, 0, 0];
  const pointAt = (): CutPoint => ({
    position: { offset: file.data.start + bytes, ticks },
    startsAt: secondsAt(file, ticks),
    endsAt: secondsAt(file, ticks),
    bytes: bytes + packets * maxEntryBytes,
  });
  for await (const { runs } of packetsOf(window, file)) {
    const points: CutPoint[] = [];
    for (const { size, duration } of runs) {
      if (ticks >= nextAt) {
        points.push(pointAt());
        nextAt = ticks + pointSpacing * file.sampleRate;
      }
      [ticks, bytes, packets] = [ticks + duration, bytes + size, packets + 1];
    }
    yield points;
  }
  yield [pointAt()];
}

async function* cutPackets(
  window: SourceWindow,
  file: CafPackets,
  { from, until }: Cut,
): AsyncGenerator<Uint8Array, void> {
  const span = { listedFrom: 0, from: from?.ticks ?? 0, until };
  const { runs, ranges, ticks } = await collectSamples(packetsOf(window, file), span);
  const numbers = runs.map(({ count, size, duration }) => {
    const entry = Buffer.from([
      ...(file.bytesPerPacket === 0 ? writeNumber(size) : []),
      ...(file.samplesPerPacket === 0 ? writeNumber(duration) : []),
    ]);
    return Buffer.alloc(entry.length * count, entry);
  });
  const packets = runs.reduce((sum, { count }) => sum + count, 0);
  const priming = from ? 0 : file.priming;
  const dataBytes = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  yield file.writeHead(
    { numbers: Buffer.concat(numbers), packets, samples: ticks - priming, priming },
    dataBytes,
  );
  for (const { start, end } of ranges) yield* copyRange(window, start, end);
}

const emptyTable: PacketTable = { numbers: new Uint8Array(0), packets: 0, samples: 0, priming: 0 };

/** AAC, ALAC, Opus and others in CAF. */
export const packetReader = (file: CafPackets): ContainerReader => ({
  measure: ({ window }) => measurePackets(window, file),
  ticksAt: async (_file, seconds) => Math.round(seconds * file.sampleRate) + file.priming,
  cutPoints: async ({ window }) => ({
    headBytes: file.writeHead(emptyTable, 0).length,
    points: pointsOf(window, file),
  }),
  cut: ({ window }, cut) => cutPackets(window, file, cut),
});
