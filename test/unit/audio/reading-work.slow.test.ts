import { promiseHooks } from "node:v8";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AudioFacts, bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { UnreadableAudioError } from "../../../shared/audio/reading/audio-errors.ts";
import { ReadingBudget } from "../../../shared/audio/reading/reading-budget.ts";
import type { ByteSource } from "../../../shared/platform/outbound/byte-source.ts";
import { hostileFiles } from "../../fixtures/audio/hostile-files.ts";
import { box, makeChunkTables, makeIndexedMp4, uint32 } from "../../fixtures/audio/make-mp4.ts";
import { repeat } from "../../fixtures/audio/make-mpeg.ts";
import { makeWav } from "../../fixtures/audio/make-wav.ts";
import { Random } from "../../fixtures/audio/random.ts";
import { collect } from "../../fixtures/audio/sources.ts";
import "../../support/property-seed.ts";

/**
 * How often a reader waits, which costs hundreds of times what a step of a loop does: a machine's speed plays no part.
 */
const waitsOf = async (work: () => Promise<unknown>): Promise<number> => {
  let promises = 0;
  const stop = promiseHooks.onInit(() => {
    promises += 1;
  });
  try {
    await work();
  } finally {
    stop();
  }
  return promises;
};

const manyPartsOfFiles = (await hostileFiles(0.01)).filter(({ name }) =>
  /chunks without|length of its own|another track|foreign byte after|smallest frames|samples without size/.test(
    name,
  ),
);

/** Enough for both ends of a file and some dozens of pieces of it. */
const maxWaits = 3_000;

const readAndCut = async (source: ByteSource): Promise<AudioFacts | Error> => {
  const facts = await inspectAudio(source).catch((error: Error) => error);
  if (facts instanceof Error) return facts;
  await collect(trimAudio(source, facts, facts.durationSeconds / 2)).catch((error: Error) => error);
  return facts;
};

describe("What reading a file costs", () => {
  it("does not grow with the tables of an MP4 file, for any content", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const file = bufferSource(makeChunkTables(new Random(seed), 20_000));
        expect(await waitsOf(() => inspectAudio(file).catch(() => undefined))).toBeLessThan(maxWaits);
      }),
      { numRuns: 25 },
    );
  });

  it.each(manyPartsOfFiles)("does not grow with what is in it: $name", async ({ file }) => {
    const source = "read" in file ? file : bufferSource(file);
    expect(await waitsOf(() => readAndCut(source))).toBeLessThan(maxWaits);
  });

  it("is limited where boxes are nested", async () => {
    const empty = Buffer.concat([uint32(8), Buffer.from("free")]);
    const fragment = box("moof", repeat(empty, 200_000));
    const file = Buffer.concat([
      makeIndexedMp4({ durations: [[10, 100]], samplesPerChunk: [[1, 10]], chunks: [0], sizes: 4 }),
      repeat(fragment, 4),
    ]);
    await expect(inspectAudio(bufferSource(file))).rejects.toThrow(/too many parts/);
  });

  it("is limited where the parts of a file are in no order", async () => {
    const chunks = Array.from({ length: 4_000 }, (_, index) => (index % 2 === 0 ? index : 5_000_000 - index));
    const tables = { durations: [[4_000, 100]], samplesPerChunk: [[1, 1]], sizes: 1 } as const;
    const source = bufferSource(makeIndexedMp4({ ...tables, chunks, data: Buffer.alloc(5_000_100) }));
    const facts = await inspectAudio(source);
    await expect(collect(trimAudio(source, facts, 350))).rejects.toThrow(/out of order/);
  });
});

describe("The time that reading a file may take", () => {
  const wav = bufferSource(makeWav({ seconds: 3 }));

  it("has an end of its own", async () => {
    let now = 0;
    const budget = new ReadingBudget(() => (now += 15_000));
    const reading = inspectAudio(wav, { budget });
    await expect(reading).rejects.toThrow(UnreadableAudioError);
    await expect(reading).rejects.toThrow(/takes too long/);
  });

  it("is longer for background work, and ends too", async () => {
    const budgetWith = (step: number): ReadingBudget => {
      let now = 0;
      return ReadingBudget.forBackgroundWork(() => (now += step));
    };
    await expect(inspectAudio(wav, { budget: budgetWith(15_000) })).resolves.toMatchObject({ codec: "pcm" });
    await expect(inspectAudio(wav, { budget: budgetWith(90_000) })).rejects.toThrow(/takes too long/);
  });

  it("does not count how long the bytes take to come", async () => {
    let now = 0;
    const slow: ByteSource = {
      size: wav.size,
      read: async (start, end) => {
        now += 60_000;
        return wav.read(start, end);
      },
    };
    const facts = await inspectAudio(slow, { budget: new ReadingBudget(() => now) });
    expect(facts.durationSeconds).toBe(3);
  });

  it("does not count the time that the consumer of a cut spends on each piece", async () => {
    let now = 0;
    const long = bufferSource(makeWav({ seconds: 100 }));
    const facts = await inspectAudio(long);
    let bytes = 0;
    for await (const piece of trimAudio(long, facts, 90, { budget: new ReadingBudget(() => now) })) {
      bytes += piece.length;
      now += 60_000;
    }
    expect(bytes).toBe(44 + 90 * 32_000);
  });
});
