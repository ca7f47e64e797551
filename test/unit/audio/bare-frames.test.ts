import { describe, expect, it } from "vitest";
import { cutPiece, planPieces } from "../../../shared/audio/pieces/cut-pieces.ts";
import { bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { repeat } from "../../fixtures/audio/make-mpeg.ts";
import { collect } from "../../fixtures/audio/sources.ts";

const frameOf = (length: number, ...head: readonly number[]): Buffer => {
  const frame = Buffer.alloc(length, 0x55);
  frame.set(head);
  return frame;
};

/** Files of equal frames: the head, a frame, the frame's seconds. */
const files = [
  ["AMR at 12.2 kbit/s", "amr", "#!AMR\n", frameOf(32, 0x3c), 0.02],
  ["AMR at 4.75 kbit/s", "amr", "#!AMR\n", frameOf(13, 0x04), 0.02],
  ["AMR of nothing but silence", "amr", "#!AMR\n", frameOf(1, 0x7c), 0.02],
  ["AMR-WB at 23.85 kbit/s", "amr-wb", "#!AMR-WB\n", frameOf(61, 0x44), 0.02],
  ["layer II at 64 kbit/s and 48 kHz", "mp2", "", frameOf(192, 0xff, 0xfd, 0x44, 0xc0), 1_152 / 48_000],
  ["layer II at 224 kbit/s and 44.1 kHz", "mp2", "", frameOf(731, 0xff, 0xfd, 0xb0, 0x00), 1_152 / 44_100],
  ["layer II at 384 kbit/s and 32 kHz", "mp2", "", frameOf(1_728, 0xff, 0xfd, 0xe8, 0x00), 1_152 / 32_000],
  [
    "layer II of version 2 at 32 kbit/s and 24 kHz",
    "mp2",
    "",
    frameOf(192, 0xff, 0xf5, 0x44, 0x00),
    1_152 / 24_000,
  ],
] as const;

describe("A recording of nothing but frames", () => {
  it.each(files)("is measured and shortened: %s", async (_, codec, head, frame, seconds) => {
    const file = Buffer.concat([Buffer.from(head), repeat(frame, 1_000)]);
    const facts = await inspectAudio(bufferSource(file));
    expect(facts).toMatchObject({ codec, durationSeconds: expect.closeTo(1_000 * seconds, 6) });
    const cut = await collect(trimAudio(bufferSource(file), facts, 10));
    expect(cut.subarray(0, head.length).toString()).toBe(head);
    expect((await inspectAudio(bufferSource(cut))).durationSeconds).toBeCloseTo(10, 0.6);
  });

  it.each(files)(
    "is cut into pieces that are files of their own: %s",
    async (_, codec, head, frame, seconds) => {
      const source = bufferSource(
        Buffer.concat([Buffer.from(head), repeat(frame, Math.round(13 / seconds))]),
      );
      const limits = { maxSeconds: 6, overlapSeconds: 1 };
      const pieces = await planPieces(source, await inspectAudio(source), limits);
      expect(pieces).toHaveLength(3);
      for (const piece of pieces) {
        const facts = await inspectAudio(bufferSource(await collect(cutPiece(source, piece))));
        expect(facts.codec).toBe(codec);
        expect(Math.abs(facts.durationSeconds - (piece.end - piece.start))).toBeLessThan(0.1);
      }
    },
  );

  it("of AMR that was cut off plays up to its last whole frame", async () => {
    const file = Buffer.concat([Buffer.from("#!AMR\n"), repeat(frameOf(32, 0x3c), 100)]).subarray(0, -5);
    expect((await inspectAudio(bufferSource(file))).durationSeconds).toBeCloseTo(1.98, 6);
  });
});
