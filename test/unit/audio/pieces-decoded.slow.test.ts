import { describe, expect, it } from "vitest";
import { encodeAudio } from "../../../shared/audio/encode/encode-audio.ts";
import { cutPiece, planPieces } from "../../../shared/audio/pieces/cut-pieces.ts";
import { bufferSource, inspectAudio } from "../../../shared/audio/read-audio.ts";
import { collect } from "../../fixtures/audio/sources.ts";
import { type DecodedAudio, decodeAudio, speechOfAudio } from "../../support/test-audio.ts";

const sampleRate = 24_000;

/** A tone that rises and falls, so that each moment of it is unlike those around. */
const siren = (seconds: number): Buffer => {
  const bytes = Buffer.alloc(seconds * sampleRate * 2);
  let phase = 0;
  for (let at = 0; at < bytes.length; at += 2) {
    const time = at / 2 / sampleRate;
    phase += (2 * Math.PI * (300 + 200 * Math.sin(time / 3) + 15 * time)) / sampleRate;
    bytes.writeInt16LE(Math.round(12_000 * Math.sin(phase)), at);
  }
  return bytes;
};

/** The largest difference between a piece and its position in the whole, and how far its length is from the plan. */
const compare = (
  whole: DecodedAudio,
  piece: DecodedAudio,
  { start, end }: { readonly start: number; readonly end: number },
): { readonly difference: number; readonly seconds: number } => {
  const offset = Math.round(start * whole.sampleRate);
  let difference = 0;
  for (const [index, sample] of piece.samples.entries()) {
    const expected = whole.samples[offset + index];
    if (expected !== undefined) difference = Math.max(difference, Math.abs(sample - expected));
  }
  return { difference, seconds: Math.abs(piece.samples.length / piece.sampleRate - (end - start)) };
};

describe("what another program hears in a piece", () => {
  it.each([
    ["mp3", 0.000_01],
    ["opus", 0.01],
    ["wav", 0],
  ] as const)("is what it hears there in the whole: %s", async (format, tolerance) => {
    const audio = await encodeAudio(format, speechOfAudio(siren(24)));
    const stream = await collect(audio.pieces);
    const { start } = audio.end();
    const file = Buffer.concat([start, stream.subarray(start.length)]);
    const source = bufferSource(file);
    const whole = await decodeAudio(format, file);
    const pieces = await planPieces(source, await inspectAudio(source), {
      maxSeconds: 12,
      overlapSeconds: 2,
    });
    expect(pieces).toHaveLength(3);
    for (const piece of pieces) {
      const decoded = await decodeAudio(format, await collect(cutPiece(source, piece)));
      const { difference, seconds } = compare(whole, decoded, piece);
      expect(seconds).toBeLessThan(0.001);
      expect(difference).toBeLessThanOrEqual(tolerance);
    }
  });
});
