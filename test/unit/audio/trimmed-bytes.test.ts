import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { cutPiece, planPieces } from "../../../shared/audio/pieces/cut-pieces.ts";
import { bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { collect, fixture } from "../../fixtures/audio/sources.ts";

/**
 * SHA-256 of what trimming wrote when ffprobe 5.1 and mediabunny 1.61 read it: one track of the same codec, half a
 * second long but for the rest of a packet. No player checks every number of a header, so the bytes are fixed here.
 */
const readByOthers = [
  ["tone.m4a", "8c816246b37c85f1c61c65b27651f7db013e8c8ee842c3cdc0f0ee13e1370e60"],
  ["tone-fragmented.m4a", "64677ce89bf05edd0a7ee9ccc74056f18b1419c41f82a3773a55ec17e8f6b13e"],
  ["tone-opus.mp4", "c8375c3061b2d619c46712bdd1f1d777abe7d416f225d01815553a85e80728a3"],
  ["tone-alac.m4a", "ef290cd8e57ff7e39907620afbd6328ca5c7e00754ced33ffdaa6baa84012aa8"],
  ["tone.aac", "be58adc031a4f629c28d8e45feda5e5b95ddfb2184a85682cd624083b07789cc"],
  ["tone-vbr.mp3", "97febb1340db346f4fffb51249aad844c4f6766afe86f86277f334f4daa3ffde"],
  ["tone.flac", "61c87ff479acf6b6b387e45ed154f664d34574ccd8f9fe8fc012b3df3ef009f7"],
  ["tone-opus.ogg", "c8a7401918b7d2b70dea721a8b4eaa7dd27b346ecfeb0812317b93fa0b956297"],
  ["tone-vorbis.ogg", "50a162cfcb35bbb007450fd1ad92d7fbfaeb51bc1bcfca80b1aca2a1fc61d887"],
  ["tone-vorbis.webm", "dd3dadc39afa3e3b906f3d5c4dc74e9fde887afb4b66907b64b0322e95aa8a85"],
  ["tone-live.webm", "8da86c7c4f16e795996e60d32442f7059cecc1eae9859cd7311c7ddbe9bca529"],
] as const;

describe("the first half second of a recording", () => {
  it.each(readByOthers)("is written as other players have read it: %s", async (name, digest) => {
    const source = bufferSource(fixture(name));
    const bytes = await collect(trimAudio(source, await inspectAudio(source), 0.5));
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(digest);
  });
});

/**
 * The second piece of at most 0.8 s that share 0.2 s, as ffmpeg 5.1 decoded it: as long as planned, and from its
 * first packet on the same as the whole there. `npm run verify -- --only cuts` repeats this with longer recordings.
 */
const piecesReadByOthers = [
  ["tone.m4a", 0.286, 1.022, "f440e7109fbb58b46cd4c1a11cf93bd68d105c4e35a4b7190d4eb0ad3c79bb62"],
  ["tone-fragmented.m4a", 0.309, 1.045, "22478952ec1edc9581e9707b6746bd83ab3f132db3cee2659283c4125bfc9901"],
  ["tone-opus.mp4", 0.493, 1.194, "bf48d0b7f74c0872cb148f64089c00366ff2b6204bb73f791b292c577b27f983"],
  ["tone.aac", 0.512, 1.28, "7b64bcbdfb2ed18fa207d339dc68908d6b9f483c715c15ea7d8260959e3ee938"],
  ["tone-vbr.mp3", 0.435, 1.227, "89495ee50f75d1e6dda861b2f442d162f49b32858cdc8bc980c5d68e369c2e00"],
  ["tone.flac", 0.432, 1.08, "39e9622b69bb2d89b4c383e404b23a0e7dacd9ae6f92aacc5d2b70ea55615f75"],
  ["tone-vorbis.webm", 0.48, 1.12, "83ba7f9d0af36ed7338a504130fab9faee75e7691dbdf1f35993c545c8465a05"],
  ["tone-live.webm", 0.401, 1.195, "fc9243c6d950220fc2f4f8fcec03dac7bada209c4b77b8c66abffa349a9917f5"],
] as const;

describe("a piece of a recording", () => {
  it.each(piecesReadByOthers)(
    "is written as another program has read it: %s",
    async (name, start, end, digest) => {
      const source = bufferSource(fixture(name));
      const limits = { maxSeconds: 0.8, overlapSeconds: 0.2 };
      const [, piece] = await planPieces(source, await inspectAudio(source), limits);
      if (!piece) throw new Error("There is one piece only.");
      const bytes = await collect(cutPiece(source, piece));
      expect(piece.start).toBeCloseTo(start, 2);
      expect(piece.end).toBeCloseTo(end, 2);
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(digest);
    },
  );
});
