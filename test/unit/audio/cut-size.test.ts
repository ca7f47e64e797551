import { describe, expect, it } from "vitest";
import { cutPiece, planPieces } from "../../../shared/audio/pieces/cut-pieces.ts";
import { bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { UnreadableAudioError } from "../../../shared/audio/reading/audio-errors.ts";
import { audioFiles } from "../../fixtures/audio/corpus.ts";
import { makeIndexedMp4 } from "../../fixtures/audio/make-mp4.ts";
import { makeCluster, makeWebm } from "../../fixtures/audio/make-webm.ts";
import { collect } from "../../fixtures/audio/sources.ts";

/** A minute, whose index lists the same bytes for each second. */
const repeatedChunk = makeIndexedMp4({
  durations: [[6_000, 10]],
  samplesPerChunk: [[1, 100]],
  chunks: new Uint32Array(60),
  sizes: 100,
  data: Buffer.alloc(10_000),
});

const maxHeaderBytes = 1 << 16;

const files = await audioFiles();

describe("A cut", () => {
  it.each(files)("is not larger than its source and a header: $name", async ({ bytes }) => {
    const source = bufferSource(bytes);
    const facts = await inspectAudio(source);
    const cut = await collect(trimAudio(source, facts, facts.durationSeconds - 0.6)).catch(
      (error: Error) => error,
    );
    if (cut instanceof Error) expect(cut.message).toMatch(/cannot be shortened/);
    else expect(cut.length).toBeLessThanOrEqual(bytes.length + 1_500);
  });

  it("of WebM with a cluster for each packet is not larger either", async () => {
    const packets = 10_000;
    const file = makeWebm(0, { isLive: true });
    const shortHead = (time: number): Buffer =>
      Buffer.concat([Buffer.from("1f43b675ffe783", "hex"), Buffer.from([time >> 16, time >> 8, time])]);
    const block = makeCluster(0, 1, { packetBytes: 1 }).subarray(29);
    const clusters = Array.from({ length: packets }, (_, index) => [shortHead(index * 20), block]).flat();
    const source = bufferSource(Buffer.concat([file, ...clusters]));
    const facts = await inspectAudio(source);
    expect(facts.durationSeconds).toBeCloseTo(200, 1);
    const cut = await collect(trimAudio(source, facts, 199));
    expect(cut.length).toBeLessThanOrEqual(source.size + maxHeaderBytes);
    await expect(inspectAudio(bufferSource(cut))).resolves.toMatchObject({
      durationSeconds: expect.closeTo(199, 1),
    });
  });

  it("of MP4 whose samples overlap is refused", async () => {
    const source = bufferSource(repeatedChunk);
    const cut = inspectAudio(source).then((facts) => collect(trimAudio(source, facts, 59)));
    await expect(cut).rejects.toThrow(UnreadableAudioError);
    await expect(cut).rejects.toThrow(/overlap/);
  });

  it("is refused when it exceeds the size of its piece", async () => {
    const source = bufferSource(makeWebm(500));
    const [piece] = await planPieces(source, await inspectAudio(source), { maxSeconds: 5 });
    if (!piece) throw new Error("There is no piece.");
    const small = { ...piece, bytes: piece.bytes - 1_000 };
    await expect(collect(cutPiece(source, small))).rejects.toThrow(UnreadableAudioError);
    expect((await collect(cutPiece(source, piece))).length).toBeLessThanOrEqual(piece.bytes);
  });
});
