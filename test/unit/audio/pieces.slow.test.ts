import { beforeAll, describe, expect, it } from "vitest";
import { cutPart } from "../../../functions/job-worker/cut-part.ts";
import { cutPiece, type Piece, pieceSchema, planPieces } from "../../../shared/audio/pieces/cut-pieces.ts";
import { type AudioFacts, bufferSource, inspectAudio } from "../../../shared/audio/read-audio.ts";
import { flacRate, makeFlac } from "../../fixtures/audio/make-flac.ts";
import { makeMp4 } from "../../fixtures/audio/make-mp4.ts";
import { makeAdts, makeLameFrame, makeMp3 } from "../../fixtures/audio/make-mpeg.ts";
import { makeOggOpus, makeOggVorbis } from "../../fixtures/audio/make-ogg.ts";
import { makeWav } from "../../fixtures/audio/make-wav.ts";
import { makeWebm } from "../../fixtures/audio/make-webm.ts";
import { collect, countingSource, fixture } from "../../fixtures/audio/sources.ts";

type Limits = Parameters<typeof planPieces>[2];

interface CutFile {
  readonly facts: AudioFacts;
  readonly size: number;
  readonly bytesReadToPlan: number;
  readonly pieces: readonly (Piece & {
    readonly file: Buffer;
    readonly facts: AudioFacts;
    readonly bytesRead: number;
  })[];
}

const cutFile = async (file: Buffer, limits: Limits = {}): Promise<CutFile> => {
  const source = countingSource(bufferSource(file));
  const reading = async <Result>(work: Promise<Result>): Promise<[Result, number]> => {
    const before = source.reads.length;
    const result = await work;
    return [result, source.reads.slice(before).reduce((sum, { start, end }) => sum + end - start, 0)];
  };
  const facts = await inspectAudio(source);
  const [plan, bytesReadToPlan] = await reading(planPieces(source, facts, limits));
  const pieces = [];
  for (const planned of plan) {
    // As it comes back from a table.
    const piece = pieceSchema.parse(JSON.parse(JSON.stringify(planned)));
    const [bytes, bytesRead] = await reading(collect(cutPiece(source, piece)));
    pieces.push({ ...piece, file: bytes, bytesRead, facts: await inspectAudio(bufferSource(bytes)) });
  }
  return { facts, pieces, size: source.size, bytesReadToPlan };
};

/** Twenty-five minutes of each format, with the length of a packet in seconds. */
const longFiles: readonly (readonly [string, () => Buffer | Promise<Buffer>, number])[] = [
  ["WAV", () => makeWav({ seconds: 1_500, sampleRate: 4_000 }), 0],
  ["MP3", () => makeMp3(57_500), 0.027],
  [
    "MP3 with LAME's header",
    () => Buffer.concat([makeLameFrame(57_500, 576, 1_000), makeMp3(57_500)]),
    0.027,
  ],
  ["AAC", () => makeAdts(23_500), 0.064],
  ["Ogg Opus", () => makeOggOpus(75_000), 0],
  ["Ogg Vorbis", () => makeOggVorbis(46_900), 0],
  ["FLAC", () => makeFlac(1_500 * flacRate), 0.256],
  ["FLAC with varying block sizes", () => makeFlac(1_500 * flacRate, { isVariable: true }), 0.256],
  ["WebM", () => makeWebm(75_000), 0.02],
  ["WebM of a browser", () => makeWebm(75_000, { isLive: true }), 0.02],
  ["MP4", () => makeMp4(23_500, "start"), 0.001],
  ["MP4 with its index at the end", () => makeMp4(23_500, "end"), 0.001],
  ["fragmented MP4", () => makeMp4(23_500, "fragmented"), 0.001],
];

let cut: CutFile;

describe.each(longFiles)("A long recording in %s", (_, make, packet) => {
  beforeAll(async () => {
    cut = await cutFile(await make());
  });

  it("becomes pieces that share their ends", () => {
    const { facts, pieces } = cut;
    expect(facts.durationSeconds).toBeGreaterThan(1_499);
    expect(pieces.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(pieces[0]?.start).toBe(0);
    expect(pieces.at(-1)?.end).toBeCloseTo(facts.durationSeconds, 1);
    for (const [index, piece] of pieces.entries()) {
      expect(piece.end - piece.start).toBeLessThanOrEqual(570);
      // The last one too.
      expect(piece.end - piece.start).toBeGreaterThan(285);
      expect(Math.abs(piece.facts.durationSeconds - (piece.end - piece.start))).toBeLessThan(packet + 0.001);
      expect(piece.facts).toMatchObject({ container: facts.container, codec: facts.codec });
      expect(piece.file.length).toBeLessThanOrEqual(piece.bytes);
      const before = pieces[index - 1];
      if (!before) continue;
      expect(before.end - piece.start).toBeGreaterThanOrEqual(10);
      // And a page of Ogg.
      expect(before.end - piece.start).toBeLessThan(12);
    }
  });

  it("is read hardly more than once for that", () => {
    expect(cut.bytesReadToPlan).toBeLessThan(cut.size * 1.1 + (1 << 18));
    for (const { bytes, bytesRead } of cut.pieces) {
      // The file's start, and what a window holds beyond the piece's end.
      expect(bytesRead).toBeLessThan(bytes + 2 * (1 << 20) + (1 << 18));
    }
  });

  it("has pieces that become parts of any length at each step, which share their ends", async () => {
    const piece = cut.pieces[1];
    if (!piece) throw new Error("There is no second piece.");
    const { signal } = new AbortController();
    const seconds = piece.facts.durationSeconds;
    let from = 0;
    const parts: { start: number; end: number }[] = [];
    for (const maxSeconds of [142.5, 71.25, 71.25, 35.625, ...Array<number>(20).fill(142.5)]) {
      const { start, end, bytes, isLast } = await cutPart(piece.file, { from, maxSeconds }, signal);
      const { durationSeconds } = await inspectAudio(bufferSource(bytes));
      expect(end - start).toBeLessThanOrEqual(maxSeconds);
      expect(Math.abs(durationSeconds - (end - start))).toBeLessThan(packet + 0.001);
      // The overlap of a part that is cut with another length than the one before it has room for the spacing of cuts.
      expect(from - start).toBeGreaterThanOrEqual(from === 0 ? 0 : Math.min(10, maxSeconds / 4));
      expect(from - start).toBeLessThan(13);
      expect(end).toBeGreaterThan(from);
      // No three parts share a time, or words of it might come twice.
      expect(start).toBeGreaterThanOrEqual(parts.at(-2)?.end ?? 0);
      parts.push({ start, end });
      from = end;
      if (isLast) break;
    }
    expect(Math.abs(from - seconds)).toBeLessThan(packet + 0.03);
    expect(parts.length).toBeGreaterThan(4);
  });
});

describe("A recording that is longer than a model takes", () => {
  it("is cut by size where that is reached first", async () => {
    const { pieces } = await cutFile(makeWav({ seconds: 400, sampleRate: 16_000 }), {
      maxBytes: 5_000_000,
    });
    expect(pieces).toHaveLength(3);
    for (const { file } of pieces) expect(file.length).toBeLessThanOrEqual(5_000_000);
    expect(pieces.at(-1)?.end).toBe(400);
  });

  it("shares less where a piece is only seconds long", async () => {
    const { pieces } = await cutFile(makeWav({ seconds: 20, sampleRate: 8_000 }), { maxBytes: 65_000 });
    expect(pieces).toHaveLength(7);
    for (const [index, piece] of pieces.slice(1).entries()) {
      expect(piece.start).toBeLessThan(pieces[index]?.end ?? 0);
    }
    expect(pieces.at(-1)?.end).toBe(20);
  });

  it("does not end in a piece of a moment", async () => {
    const { pieces } = await cutFile(makeWav({ seconds: 571, sampleRate: 1_000 }));
    expect(pieces.map(({ start, end }) => Math.round(end - start))).toEqual([290, 291]);
  });

  it("is left as it is when it need not be cut", async () => {
    const file = fixture("tone-adpcm.wav");
    const { pieces } = await cutFile(file);
    expect(pieces).toHaveLength(1);
    expect(pieces[0]?.file.equals(file)).toBe(true);
  });
});
