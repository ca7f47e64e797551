import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { cutPiece, planPieces } from "../../../shared/audio/pieces/cut-pieces.ts";
import { inspectAudio } from "../../../shared/audio/read-audio.ts";
import { ReadingBudget } from "../../../shared/audio/reading/reading-budget.ts";
import type { ByteSource } from "../../../shared/platform/outbound/byte-source.ts";
import { makeAdtsFrame, makeMp3Frame } from "../../fixtures/audio/make-mpeg.ts";
import { makeOggOpus, makeOggPage, oggChecksum } from "../../fixtures/audio/make-ogg.ts";
import { makeWav } from "../../fixtures/audio/make-wav.ts";
import { makeCluster, makeWebm } from "../../fixtures/audio/make-webm.ts";
import { countingSource, generatedSource, maxRead, repeatingSource } from "../../fixtures/audio/sources.ts";
import { endurance } from "../../support/endurance.ts";

const maxBytes = endurance(80_000_000, 500_000_000);

/** Two seconds of Opus, of which only the last one's checksum is right: nothing else checks it. */
const oggFile = (): ByteSource => {
  const page = makeOggPage({ packets: new Array<Buffer>(100).fill(Buffer.alloc(250, 0x48)) });
  const head = makeOggOpus(0);
  const count = Math.floor((maxBytes - head.length) / page.length);
  return generatedSource(head, count, (index) => {
    const copy = Buffer.from(page);
    copy.writeBigInt64LE(BigInt((index + 1) * 96_000), 6);
    copy.writeUInt32LE(index + 2, 18);
    if (index === count - 1) {
      copy.writeUInt32LE(0, 22);
      copy.writeUInt32LE(oggChecksum(copy), 22);
    }
    return copy;
  });
};

/** A second a cluster. */
const webmFile = (): ByteSource => {
  const cluster = makeCluster(0, 50, { packetBytes: 250, isLive: true });
  const timeOffset = cluster.indexOf(0xe7, 12) + 9;
  const head = makeWebm(0, { isLive: true });
  return generatedSource(head, Math.floor((maxBytes - head.length) / cluster.length), (index) => {
    const copy = Buffer.from(cluster);
    copy.writeBigUInt64BE(BigInt(index * 1_000), timeOffset);
    return copy;
  });
};

const repeated = (head: Buffer, frame: Buffer): ByteSource =>
  repeatingSource(head, frame, Math.floor((maxBytes - head.length) / frame.length));

const files: readonly (readonly [string, () => ByteSource])[] = [
  ["WAV", () => repeated(makeWav({ seconds: 1, sizes: "unknown" }), Buffer.alloc(32_000))],
  ["MP3", () => repeated(Buffer.alloc(0), makeMp3Frame())],
  ["AAC", () => repeated(Buffer.alloc(0), makeAdtsFrame(256))],
  ["Ogg Opus", oggFile],
  ["WebM of a browser", webmFile],
];

/** As far away as an object in S3 is from a function. */
const farAway = (source: ByteSource): ByteSource => ({
  size: source.size,
  read: async (start, end) => {
    await wait(15);
    return source.read(start, end);
  },
});

describe("a recording of hundreds of megabytes", () => {
  it.each(files)("is planned and cut in the memory of a small one: %s", async (_, make) => {
    const source = countingSource(farAway(make()));
    expect(source.size).toBeGreaterThan(0.99 * maxBytes);
    const facts = await inspectAudio(source, { budget: ReadingBudget.forBackgroundWork() });
    const memoryBefore = process.memoryUsage().rss;
    const before = source.reads.length;
    const pieces = await planPieces(source, facts);
    const bytesRead = source.reads.slice(before).reduce((sum, { start, end }) => sum + end - start, 0);
    expect(bytesRead).toBeLessThan(1.1 * source.size);
    expect(pieces.at(-1)?.end).toBeCloseTo(facts.durationSeconds, 0);
    expect(pieces.length).toBeGreaterThan(maxBytes / 25e6);

    let memory = 0;
    for (const piece of [pieces[0], pieces[Math.floor(pieces.length / 2)], pieces.at(-1)]) {
      let bytes = 0;
      if (!piece) continue;
      for await (const part of cutPiece(source, piece)) {
        bytes += part.length;
        memory = Math.max(memory, process.memoryUsage().rss);
      }
      expect(bytes).toBeGreaterThan(0.9 * (piece.bytes - 70_000));
      expect(bytes).toBeLessThanOrEqual(24_000_000);
    }
    expect(maxRead(source)).toBeLessThanOrEqual(1 << 20);
    // What the garbage of windows of a megabyte comes to before it is collected.
    expect(memory - memoryBefore).toBeLessThan(100e6);
  });
});
