import { describe, expect, it } from "vitest";
import {
  type AudioFacts,
  bufferSource,
  inspectAudio,
  isLongerThan,
  trimAudio,
} from "../../../shared/audio/read-audio.ts";
import { flacMetadata, flacRate, makeFlac } from "../../fixtures/audio/make-flac.ts";
import { makeMp4 } from "../../fixtures/audio/make-mp4.ts";
import { id3Tag, makeAdts, makeLameFrame, makeMp3, makeMp3Frame } from "../../fixtures/audio/make-mpeg.ts";
import {
  makeOggOpus,
  makeOggPage,
  makeOggVorbis,
  oggChecksum,
  opusHead,
} from "../../fixtures/audio/make-ogg.ts";
import { makeWav } from "../../fixtures/audio/make-wav.ts";
import { makeWebm } from "../../fixtures/audio/make-webm.ts";
import { collect, countingSource, fixture, maxRead } from "../../fixtures/audio/sources.ts";

const trim = async (
  file: Buffer,
  seconds: number,
): Promise<{ readonly bytes: Buffer; readonly before: AudioFacts; readonly after: AudioFacts }> => {
  const source = bufferSource(file);
  const before = await inspectAudio(source);
  const bytes = await collect(trimAudio(source, before, seconds));
  return { bytes, before, after: await inspectAudio(bufferSource(bytes)) };
};

/** Ten minutes and forty seconds of each format, with the length of a packet in seconds. */
const longFiles: readonly (readonly [string, () => Buffer | Promise<Buffer>, number])[] = [
  ["WAV", () => makeWav({ seconds: 640, sampleRate: 8_000 }), 0],
  ["MP3", () => makeMp3(24_500), 0.027],
  [
    "MP3 with LAME's header",
    () => Buffer.concat([makeLameFrame(24_500, 576, 1_000), makeMp3(24_500)]),
    0.027,
  ],
  ["AAC", () => makeAdts(10_000), 0.064],
  ["Ogg Opus", () => makeOggOpus(32_000), 0],
  ["Ogg Vorbis", () => makeOggVorbis(20_000), 0],
  ["FLAC", () => makeFlac(640 * flacRate), 0.256],
  ["FLAC with varying block sizes", () => makeFlac(640 * flacRate, { isVariable: true }), 0.256],
  ["WebM", () => makeWebm(32_000), 0.02],
  ["WebM of a browser", () => makeWebm(32_000, { isLive: true }), 0.02],
  ["MP4", () => makeMp4(10_000, "start"), 0.064],
  ["MP4 with its index at the end", () => makeMp4(10_000, "end"), 0.064],
  ["fragmented MP4", () => makeMp4(10_000, "fragmented"), 0.064],
];

describe("A recording that is too long", () => {
  it.each(longFiles)(
    "keeps its first ten minutes, its container and its encoding: %s",
    async (_, make, packet) => {
      const { before, after } = await trim(await make(), 600);
      expect(before.durationSeconds).toBeGreaterThan(639.9);
      const { durationSeconds, ...facts } = after;
      expect(facts).toEqual({
        ...facts,
        ...{ ...before, durationSeconds: undefined },
        durationSeconds: undefined,
      });
      expect(durationSeconds).toBeGreaterThan(599.98);
      expect(durationSeconds).toBeLessThan(600 + packet + 0.001);
      // So nothing would cut the result again.
      expect(isLongerThan(after, 600)).toBe(false);
    },
  );

  it("is produced as a stream, with little in memory", async () => {
    const source = countingSource(bufferSource(makeWav({ seconds: 700 })));
    const facts = await inspectAudio(source);
    const readsBefore = source.reads.length;
    for await (const piece of trimAudio(source, facts, 600)) {
      expect(piece.length).toBeLessThanOrEqual((1 << 20) + (1 << 16));
      expect(source.reads.length - readsBefore).toBeLessThan(4);
      break;
    }
    expect(maxRead(source)).toBeLessThanOrEqual(1 << 20);
  });

  it("is not cut for half a second, because encoders add a little at both ends", async () => {
    const file = makeMp3(Math.ceil((600.4 * 44_100) / 1_152));
    const { bytes, before } = await trim(file, 600);
    expect(isLongerThan(before, 600)).toBe(false);
    expect(bytes.equals(file)).toBe(true);
  });

  it.each([
    ["tone-flac.ogg", 0.5],
    ["tone-adpcm.wav", (2 * 2_041) / 8_000],
  ])("ends with the frame or block that reaches the time: %s", async (name, seconds) => {
    const { bytes } = await trim(fixture(name), 0.5);
    expect((await inspectAudio(bufferSource(bytes))).durationSeconds).toBeCloseTo(seconds, 2);
  });
});

describe("The cut itself", () => {
  it("copies MP3 frames unchanged and drops foreign bytes between them", async () => {
    const frames = Array.from({ length: 100 }, (_, index) => makeMp3Frame(index));
    const file = Buffer.concat([id3Tag(100), ...frames.slice(0, 20), Buffer.alloc(500), ...frames.slice(20)]);
    const { bytes } = await trim(file, 1);
    expect(bytes.equals(Buffer.concat(frames.slice(0, 39)))).toBe(true);
  });

  it("announces the frames that are left, keeps the encoder's delay and forgets its padding", async () => {
    const { bytes } = await trim(Buffer.concat([makeLameFrame(200, 576, 1_000), makeMp3(200)]), 2);
    const frames = bytes.length / 104 - 1;
    expect(frames).toBe(Math.ceil((2 * 44_100 + 576) / 1_152));
    expect(bytes.toString("latin1", 21, 25)).toBe("Info");
    expect(bytes.readUInt32BE(29)).toBe(frames);
    expect(bytes.readUIntBE(54, 3)).toBe(576 << 12);
  });

  it.each([
    ["Opus", makeOggOpus(500), 3.33],
    ["Vorbis", makeOggVorbis(500), 3.33],
  ])("ends %s on a page that says so, with a right checksum", async (_, file, seconds) => {
    const { bytes, after } = await trim(file, seconds);
    const page = Buffer.from(bytes.subarray(bytes.lastIndexOf("OggS")));
    expect((page[5] ?? 0) & 4).toBe(4);
    const checksum = page.readUInt32LE(22);
    page.writeUInt32LE(0, 22);
    expect(checksum).toBe(oggChecksum(page));
    expect(after.durationSeconds).toBeCloseTo(seconds, 4);
    // The inaudible packets of the last page are gone.
    expect(page[26]).toBeLessThan(50);
  });

  it("contains only the audio of an Ogg file with other streams", async () => {
    const video = makeOggPage({ serial: 5, isFirst: true, packets: [Buffer.from("\x80theora")] });
    const audio = makeOggOpus(500);
    const headEnd = 28 + opusHead().length;
    const file = Buffer.concat([video, audio.subarray(0, headEnd), audio.subarray(headEnd)]);
    const { bytes, before, after } = await trim(file, 5);
    expect(before.durationSeconds).toBeCloseTo(10 - 312 / 48_000, 6);
    expect(after.durationSeconds).toBeCloseTo(5, 6);
    expect(bytes.includes("theora")).toBe(false);
  });

  it("announces the samples that are left in FLAC, and drops pictures and the checksum of the whole", async () => {
    const picture = flacMetadata(6, Buffer.alloc(100_000, 1));
    const { bytes } = await trim(makeFlac(20 * flacRate, { metadata: [picture] }), 10);
    const samples = Math.ceil((10 * flacRate) / 4_096) * 4_096;
    expect(bytes.readUInt32BE(8 + 14)).toBe(samples);
    expect(bytes.subarray(8 + 18, 8 + 34).equals(Buffer.alloc(16))).toBe(true);
    expect(bytes.length).toBeLessThan(5_000);
  });

  it("adds the missing duration to a browser's WebM", async () => {
    const { bytes } = await trim(makeWebm(1_000, { isLive: true }), 10);
    const duration = bytes.indexOf(Buffer.from([0x44, 0x89]));
    expect(bytes.readDoubleBE(duration + 10)).toBeCloseTo(10_000, 3);
  });

  it("works on a file that was cut off before", async () => {
    for (const file of [
      makeMp3(1_000),
      makeOggOpus(1_000),
      makeFlac(30 * flacRate),
      await makeMp4(400, "start", 500),
    ]) {
      const { after } = await trim(file.subarray(0, Math.round(file.length * 0.6)), 5);
      expect(Math.abs(after.durationSeconds - 5)).toBeLessThan(0.3);
    }
  });
});
