import { describe, expect, it } from "vitest";
import { cutPiece, planPieces } from "../../../shared/audio/pieces/cut-pieces.ts";
import { bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { UnreadableAudioError } from "../../../shared/audio/reading/audio-errors.ts";
import { falseLengths, oggOpusWith, trueLengths, webmOf } from "../../fixtures/audio/false-lengths.ts";
import { makeOggPage } from "../../fixtures/audio/make-ogg.ts";
import { element } from "../../fixtures/audio/make-webm.ts";
import { collect, countingSource, generatedSource } from "../../fixtures/audio/sources.ts";

const inspect = (file: Buffer) => inspectAudio(bufferSource(file));

describe("A recording that states a false length", () => {
  it.each(falseLengths)("counts as long as it plays, or is refused: $name", async ({ file, expected }) => {
    if (typeof expected === "number") {
      const { durationSeconds } = await inspect(file);
      expect(Math.abs(durationSeconds - expected)).toBeLessThan(0.2);
    } else {
      await expect(inspect(file)).rejects.toThrow(UnreadableAudioError);
      await expect(inspect(file)).rejects.toThrow(expected);
    }
  });

  it.each(trueLengths)("and one with a true length differ: $name", async ({ file, expected }) => {
    const facts = await inspect(file);
    expect(Math.abs(facts.durationSeconds - Number(expected))).toBeLessThan(0.1);
    expect(facts.hasWrongTimes).toBeUndefined();
  });

  it.each(falseLengths.filter(({ expected }) => Number(expected) > 600))(
    "is not sent to a model as one piece: $name",
    async ({ file }) => {
      const source = bufferSource(file);
      const facts = await inspectAudio(source);
      const pieces = await planPieces(source, facts).catch((error: Error) => error);
      const cut = await collect(trimAudio(source, facts, 600)).catch((error: Error) => error);
      if (pieces instanceof Error) expect(pieces.message).toMatch(/cannot be shortened/);
      else {
        for (const piece of pieces.slice(0, 2)) {
          const bytes = await collect(cutPiece(source, piece));
          expect((await inspect(bytes)).durationSeconds).toBeLessThan(600);
        }
      }
      if (cut instanceof Error) expect(cut.message).toMatch(/cannot be shortened/);
      else expect((await inspect(cut)).durationSeconds).toBeLessThan(601);
    },
  );
});

describe("A recording whose times are false in a part of it", () => {
  it.each([
    ["Ogg", oggOpusWith((page) => (page < 1_000 ? page * 48 : (page - 1_000) * 108_000 + 48_000))],
    [
      "Ogg with a gap before",
      oggOpusWith((page) => (page < 100 ? page * 960_000 : 100 * 960_000 + page * 48)),
    ],
    ["WebM", webmOf({ clusterAt: (index) => (index < 1_000 ? index : index * 1_000) })],
    [
      "WebM with a gap before",
      webmOf({ clusterAt: (index) => (index < 100 ? index * 20_000 : 2_000_000 + index) }),
    ],
  ])("counts at least as long as it plays, and cannot be cut: %s", async (_, file) => {
    const source = bufferSource(file);
    const facts = await inspectAudio(source);
    expect(facts.durationSeconds).toBeGreaterThan(1_799);
    await expect(planPieces(source, facts)).rejects.toThrow(/times do not match its packets/);
    await expect(collect(trimAudio(source, facts, 600))).rejects.toThrow(/times do not match its packets/);
  });

  it("is cut when only a pause was left out", async () => {
    const source = bufferSource(
      webmOf({ clusterAt: (index) => index * 1_000 + (index < 900 ? 0 : 600_000) }),
    );
    const facts = await inspectAudio(source);
    expect(facts.durationSeconds).toBeCloseTo(2_400, 1);
    await expect(planPieces(source, facts)).resolves.toHaveLength(5);
  });
});

describe("A large recording", () => {
  const packets = new Array<Buffer>(50).fill(Buffer.alloc(200, 0x48));
  const head = oggOpusWith((page) => page * 48_000).subarray(0, 91);
  const large = (granuleOf: (index: number) => number) =>
    generatedSource(head, 1_000, (index) =>
      makeOggPage({ sequence: index + 2, granule: BigInt(granuleOf(index + 1)), packets }),
    );

  it("that states less than its samples play is counted as a whole", async () => {
    const source = countingSource(large((index) => index * 16));
    expect(source.size).toBeGreaterThan(8_000_000);
    await expect(inspectAudio(source)).resolves.toMatchObject({
      durationSeconds: expect.closeTo(1_000, 1),
      hasWrongTimes: true,
    });
  });

  it("that states its length is believed after samples", async () => {
    const source = countingSource(large((index) => index * 48_000));
    const facts = await inspectAudio(source);
    expect(facts.durationSeconds).toBeCloseTo(1_000, 1);
    const bytes = source.reads.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(bytes).toBeLessThan(source.size + (5 << 20));
  });

  it.each([
    ["states less than its samples play", 1, true],
    ["states its length", 1_000, false],
  ])("of WebM that %s is measured by its packets", async (_, milliseconds, isFalse) => {
    const blocks = Array.from({ length: 50 }, (_, index) =>
      element(0xa3, Buffer.concat([Buffer.from([0x81, 0, index, 0x80]), Buffer.alloc(200, 0x48)])),
    );
    const empty = webmOf({ clusters: 0 });
    const source = generatedSource(empty, 1_000, (index) =>
      webmOf({ clusters: 1, clusterAt: () => index * milliseconds, blocks }).subarray(empty.length),
    );
    expect(source.size).toBeGreaterThan(8_000_000);
    const facts = await inspectAudio(source);
    expect(Math.abs(facts.durationSeconds - 1_000)).toBeLessThan(1);
    expect(facts.hasWrongTimes ?? false).toBe(isFalse);
  });
});
