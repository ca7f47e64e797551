import { ALL_FORMATS, BufferSource, Input } from "mediabunny";
import { describe, expect, it } from "vitest";
import { bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { NotAudioError, UnreadableAudioError } from "../../../shared/audio/reading/audio-errors.ts";
import {
  box,
  type Mp4Layout,
  type Mp4Tables,
  makeIndexedMp4,
  makeMp4,
  mp4PacketSamples,
  mp4Rate,
  uint32,
  withBoxContent,
} from "../../fixtures/audio/make-mp4.ts";
import { Random } from "../../fixtures/audio/random.ts";
import { collect, countingSource, fixture } from "../../fixtures/audio/sources.ts";

const packetSeconds = mp4PacketSamples / mp4Rate;
const layouts: readonly Mp4Layout[] = ["start", "end", "fragmented"];

/** How another program, written by others, reads the file. */
const readElsewhere = async (file: Buffer) => {
  const input = new Input({ source: new BufferSource(file), formats: ALL_FORMATS });
  const track = await input.getPrimaryAudioTrack();
  if (!track) throw new Error("The file has no sound.");
  return { durationSeconds: await track.computeDuration(), codec: await track.getCodec() };
};

describe("An MP4 file", () => {
  it.each(["tone.m4a", "tone-faststart.m4a", "tone-fragmented.m4a", "tone-opus.mp4"])(
    "is as long for us as for another reader: %s",
    async (name) => {
      const file = fixture(name);
      const facts = await inspectAudio(bufferSource(file));
      const elsewhere = await readElsewhere(file);
      expect(facts.codec).toBe(elsewhere.codec);
      expect(facts.durationSeconds).toBeCloseTo(elsewhere.durationSeconds, 2);
    },
  );

  it.each(layouts)("can be read by others after the cut, index at the %s before it", async (layout) => {
    const random = new Random(7);
    for (let count = 0; count < 20; count += 1) {
      const packets = 20 + random.below(300);
      const file = await makeMp4(packets, layout, 1 + random.below(400));
      const source = bufferSource(file);
      const facts = await inspectAudio(source);
      expect(facts.durationSeconds).toBeCloseTo(packets * packetSeconds, 2);
      const seconds = 0.1 + random.below(Math.floor((packets * packetSeconds - 0.7) * 1_000)) / 1_000;
      const output = await collect(trimAudio(source, facts, seconds));
      const { durationSeconds, codec } = await readElsewhere(output);
      expect(codec).toBe("aac");
      expect(durationSeconds).toBeGreaterThan(seconds - 0.001);
      expect(durationSeconds).toBeLessThan(seconds + packetSeconds + 0.001);
    }
  });

  it.each(layouts)("keeps its packets as they are when it is cut, index at the %s", async (layout) => {
    const file = await makeMp4(100, layout, 50);
    const source = bufferSource(file);
    const output = await collect(trimAudio(source, await inspectAudio(source), 2));
    const packets = Buffer.concat(Array.from({ length: 32 }, (_, index) => Buffer.alloc(50, index)));
    expect(output.subarray(output.indexOf("mdat") + 4).equals(packets)).toBe(true);
  });

  it("preserves what a player drops at the start, so that the cut sounds the same", async () => {
    const source = bufferSource(fixture("tone.m4a"));
    const output = await collect(trimAudio(source, await inspectAudio(source), 0.5));
    const edits = output.subarray(output.indexOf("elst") + 4);
    expect(edits.readUInt32BE(12)).toBe(1_024);
  });

  it("puts its index before the audio when it is cut, so that it can be played while it arrives", async () => {
    const source = bufferSource(await makeMp4(100, "end"));
    const output = await collect(trimAudio(source, await inspectAudio(source), 2));
    expect(output.indexOf("moov")).toBeLessThan(output.indexOf("mdat"));
  });

  it("loses its film when it is cut", async () => {
    const audio = await makeMp4(100, "start");
    const index = audio.indexOf("moov") - 4;
    const silent = fixture("silent-video.mp4");
    const film = silent.indexOf("trak") - 4;
    const filmTrack = silent.subarray(film, film + silent.readUInt32BE(film));
    const both = Buffer.concat([
      audio.subarray(0, index),
      box("moov", filmTrack, audio.subarray(index + 8, index + audio.readUInt32BE(index))),
      audio.subarray(index + audio.readUInt32BE(index)),
    ]);
    const shifted = withBoxContent(both, "avc1", () => undefined);
    const facts = await inspectAudio(bufferSource(shifted));
    expect(facts).toMatchObject({ codec: "aac", durationSeconds: expect.closeTo(6.4, 2) });
    const output = await collect(trimAudio(bufferSource(shifted), facts, 2));
    expect(output.includes("avc1")).toBe(false);
  });

  it("is read in a few pieces even when its index is at the end of a large file", async () => {
    const source = countingSource(bufferSource(await makeMp4(20_000, "end", 300)));
    await expect(inspectAudio(source)).resolves.toMatchObject({ codec: "aac" });
    expect(source.reads.length).toBeLessThan(6);
  });

  it("with nothing but film is no audio", async () => {
    await expect(inspectAudio(bufferSource(fixture("silent-video.mp4")))).rejects.toThrow(NotAudioError);
  });

  it.each([
    ["encrypted", "enca", /encrypted/],
    ["in an unknown encoding", "zzzz", /unknown encoding/],
  ])("that is %s is refused with a message", async (_, type, message) => {
    const file = Buffer.from(fixture("tone.m4a"));
    file.write(type, file.indexOf("mp4a", file.indexOf("stsd")), "latin1");
    const refusal = inspectAudio(bufferSource(file));
    await expect(refusal).rejects.toThrow(UnreadableAudioError);
    await expect(refusal).rejects.toThrow(message);
  });
});

describe("The index of an MP4 file", () => {
  /** Each sample is filled with its number, from 1, and is one byte longer than the one before it. */
  const samples = Array.from({ length: 17 }, (_, index) => Buffer.alloc(index + 1, index + 1));
  const bytesOf = (from: number, to: number): Buffer => Buffer.concat(samples.slice(from - 1, to));
  const gap = Buffer.alloc(9, 0xee);
  // Chunks 1 and 2 of three samples, chunk 3 of one, chunks 4 and 5 of five: 17 samples. The third chunk comes first.
  const data = Buffer.concat([
    bytesOf(7, 7),
    gap,
    bytesOf(1, 3),
    bytesOf(4, 6),
    gap,
    bytesOf(8, 12),
    gap,
    bytesOf(13, 17),
  ]);
  const tables: Mp4Tables = {
    samplesPerChunk: [
      [1, 3],
      [3, 1],
      [4, 5],
    ],
    chunks: [16, 22, 0, 46, 105],
    durations: [
      [10, 100],
      [7, 50],
    ],
    sizes: Uint32Array.from(samples, ({ length }) => length),
    data,
  };
  const inspect = (file: Buffer) => inspectAudio(bufferSource(file));
  const audioOf = async (file: Buffer, seconds: number): Promise<Buffer> => {
    const source = bufferSource(file);
    const output = await collect(trimAudio(source, await inspectAudio(source), seconds));
    return output.subarray(output.indexOf("mdat") + 4);
  };

  it("may have chunks of different numbers of samples", async () => {
    // 10 samples of 100 ms, and 7 of 50 ms.
    await expect(inspect(makeIndexedMp4(tables))).resolves.toMatchObject({
      codec: "alac",
      durationSeconds: 1.35,
      sampleRate: 16_000,
      channels: 1,
    });
  });

  it("locates each sample, for any order of the chunks", async () => {
    // 0.84 s are reached by the ninth sample: two chunks, the third that precedes them, and two samples of the
    // fourth.
    expect((await audioOf(makeIndexedMp4(tables), 0.84)).equals(bytesOf(1, 9))).toBe(true);
    expect((await audioOf(makeIndexedMp4(tables), 0.8)).equals(bytesOf(1, 8))).toBe(true);
    expect((await audioOf(makeIndexedMp4(tables), 0.3)).equals(bytesOf(1, 3))).toBe(true);
  });

  it("may have offsets of 64 bits", async () => {
    const file = makeIndexedMp4({ ...tables, hasLongOffsets: true });
    await expect(inspect(file)).resolves.toMatchObject({ durationSeconds: 1.35 });
    expect((await audioOf(file, 0.84)).equals(bytesOf(1, 9))).toBe(true);
  });

  it("may have one size for all samples", async () => {
    const numbered = Buffer.from(Array.from({ length: 17 }, (_, index) => [index, index]).flat());
    const file = makeIndexedMp4({ ...tables, chunks: [0, 6, 12, 14, 24], sizes: 2, data: numbered });
    await expect(inspect(file)).resolves.toMatchObject({ durationSeconds: 1.35 });
    expect((await audioOf(file, 0.84)).equals(numbered.subarray(0, 18))).toBe(true);
  });

  it("counts only the existing samples when the file was cut off", async () => {
    const file = makeIndexedMp4(tables);
    const without = (bytes: number) => inspect(file.subarray(0, file.length - bytes));
    // The last sample has 17 bytes, the one before it 16.
    await expect(without(1)).resolves.toMatchObject({ durationSeconds: 1.3 });
    await expect(without(17)).resolves.toMatchObject({ durationSeconds: 1.3 });
    await expect(without(18)).resolves.toMatchObject({ durationSeconds: 1.25 });
  });

  it.each([
    ["starts later", [[0, 200]], 1.15],
    ["ends sooner", [[700, 100]], 0.7],
    ["claims to end later than it does", [[9_000, 100]], 1.25],
    [
      "begins with a pause",
      [
        [300, 0xffffffff],
        [0, 350],
      ],
      1,
    ],
    [
      "is played in two pieces, of which only the beginning counts",
      [
        [300, 150],
        [200, 900],
      ],
      1.2,
    ],
  ] as const)("may say where playing starts: a track that %s", async (_, edits, seconds) => {
    const { durationSeconds } = await inspect(makeIndexedMp4({ ...tables, edits }));
    expect(durationSeconds).toBeCloseTo(seconds, 9);
  });

  it("is written again for a cut, with a time for each sample", async () => {
    const source = bufferSource(makeIndexedMp4({ ...tables, edits: [[0, 50]] }));
    const cut = await collect(trimAudio(source, await inspectAudio(source), 0.75));
    const contentOf = (type: string): Buffer => {
      const start = cut.indexOf(type) + 4;
      return cut.subarray(start, start - 8 + cut.readUInt32BE(start - 8));
    };
    // Eight samples of 100 ms reach 0.05 + 0.75 s.
    expect(contentOf("stts")).toEqual(uint32(0, 1, 8, 100));
    expect(contentOf("stsc")).toEqual(uint32(0, 1, 1, 8, 1));
    expect(contentOf("stsz")).toEqual(uint32(0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8));
    expect(contentOf("stco")).toEqual(uint32(0, 1, cut.indexOf("mdat") + 4));
    expect(contentOf("elst")).toEqual(uint32(0, 1, 750, 50, 0x10000));
    expect(contentOf("mdhd").subarray(12, 20)).toEqual(uint32(1_000, 800));
    expect(contentOf("mvhd").subarray(12, 20)).toEqual(uint32(1_000, 750));
    await expect(inspect(cut)).resolves.toMatchObject({ durationSeconds: 0.75 });
  });

  it("whose sample sizes are packed into less than a byte is refused", async () => {
    const file = makeIndexedMp4(tables);
    file.write("stz2", file.indexOf("stsz"), "latin1");
    await expect(inspect(file)).rejects.toThrow(/unsupported kind of index/);
  });
});
