import { describe, expect, it } from "vitest";
import { type AudioFacts, bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { box, type Mp4Tables, makeIndexedMp4, sampleEntry, uint32 } from "../../fixtures/audio/make-mp4.ts";
import { collect } from "../../fixtures/audio/sources.ts";

const inspect = (bytes: Buffer): Promise<AudioFacts> => inspectAudio(bufferSource(bytes));

/** Ten samples of a tenth of a second and four bytes. */
const second: Mp4Tables = {
  durations: [[10, 100]],
  samplesPerChunk: [[1, 10]],
  chunks: [0],
  sizes: 4,
  data: Buffer.alloc(40, 1),
};
const described = (description: Buffer): Buffer => makeIndexedMp4({ ...second, description });

describe("The description of an MP4 file's audio", () => {
  it.each([
    ["Opus", "opus"],
    ["fLaC", "flac"],
    ["alac", "alac"],
    ["samr", "amr"],
    ["sawb", "amr-wb"],
    [".mp3", "mp3"],
    ["ac-3", "ac3"],
    ["ec-3", "eac3"],
    ["ulaw", "mulaw"],
    ["alaw", "alaw"],
    ["sowt", "pcm"],
    ["twos", "pcm"],
    ["lpcm", "pcm"],
    ["in24", "pcm"],
    ["in32", "pcm"],
    ["raw ", "pcm"],
    ["ipcm", "pcm"],
    ["fl32", "float"],
    ["fl64", "float"],
    ["fpcm", "float"],
  ])("%j names %s", async (type, codec) => {
    await expect(inspect(described(sampleEntry(type)))).resolves.toMatchObject({
      codec,
      sampleRate: 16_000,
      channels: 1,
      durationSeconds: 1,
    });
  });

  const descriptor = (tag: number, ...content: readonly Buffer[]): Buffer => {
    const bytes = Buffer.concat(content);
    return Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
  };
  const decoder = (objectType: number, specific = [0x14, 0x08]): Buffer =>
    descriptor(4, Buffer.from([objectType]), Buffer.alloc(12), descriptor(5, Buffer.from(specific)));
  const esds = (flags: number, optional: readonly number[], content: Buffer): Buffer =>
    sampleEntry(
      "mp4a",
      box("esds", uint32(0), descriptor(3, Buffer.from([0, 1, flags, ...optional]), content)),
    );

  it.each([
    [0x40, "aac"],
    [0x66, "aac"],
    [0x67, "aac"],
    [0x68, "aac"],
    [0x69, "mp3"],
    [0x6b, "mp3"],
    [0xdd, "vorbis"],
  ])("maps MPEG-4's object type to an encoding: %i is %s", async (objectType, codec) => {
    await expect(inspect(described(esds(0, [], decoder(objectType))))).resolves.toMatchObject({ codec });
  });

  it.each([
    ["a stream it depends on", 0x80, [0, 2]],
    ["an address", 0x40, [3, 0x61, 0x62, 0x63]],
    ["a clock", 0x20, [0, 3]],
    ["all three", 0xe0, [0, 2, 3, 0x61, 0x62, 0x63, 0, 3]],
  ])("may name %s first", async (_, flags, optional) => {
    const file = described(esds(flags, optional, decoder(0x40, [0x14, 0x10])));
    await expect(inspect(file)).resolves.toMatchObject({ codec: "aac", channels: 2 });
  });

  it.each([
    [1, 1],
    [2, 2],
    [6, 6],
    [7, 8],
  ])("maps AAC's configuration to channels %i: %i", async (configuration, channels) => {
    const file = described(esds(0, [], decoder(0x40, [0x14, configuration << 3])));
    await expect(inspect(file)).resolves.toMatchObject({ channels });
  });

  it("may write lengths in up to four bytes, and not in five", async () => {
    const inner = Buffer.concat([Buffer.from([0, 1, 0]), decoder(0x6b)]);
    const withLength = (...length: readonly number[]): Buffer =>
      described(sampleEntry("mp4a", box("esds", uint32(0), Buffer.from([3, ...length]), inner)));
    await expect(inspect(withLength(0x80, 0x80, 0x80, inner.length))).resolves.toMatchObject({
      codec: "mp3",
    });
    await expect(inspect(withLength(0x80, 0x80, 0x80, 0x80, inner.length))).rejects.toThrow(
      /unknown encoding/,
    );
  });

  it.each([
    ["of an unknown object type", esds(0, [], decoder(0x20))],
    ["without a decoder", esds(0, [], descriptor(6))],
    ["without a stream", sampleEntry("mp4a", box("esds", uint32(0), descriptor(6)))],
    ["without anything", sampleEntry("mp4a")],
  ])("that is MPEG-4's own entry %s is refused", async (_, entry) => {
    await expect(inspect(described(entry))).rejects.toThrow(/unknown encoding/);
  });

  it("of QuickTime's second revision has its numbers further on", async () => {
    const entry = Buffer.alloc(72);
    entry.writeUInt32BE(72);
    entry.write("lpcm", 4, "latin1");
    entry.writeUInt16BE(2, 16);
    entry.writeDoubleBE(44_100, 40);
    entry.writeUInt32BE(6, 48);
    await expect(inspect(described(entry))).resolves.toMatchObject({ sampleRate: 44_100, channels: 6 });
  });

  it("that is cut off, or shorter than any, is refused", async () => {
    const short = Buffer.alloc(35);
    short.writeUInt32BE(35);
    short.write("alac", 4, "latin1");
    await expect(inspect(described(short))).rejects.toThrow(/audio has no description/);
    const long = sampleEntry("alac");
    long.writeUInt32BE(long.length + 1);
    await expect(inspect(described(long))).rejects.toThrow(/audio has no description/);
  });
});

describe("The clock of an MP4 file", () => {
  it("may have headers with times of 64 bits", async () => {
    const file = makeIndexedMp4({ ...second, edits: [[700, 100]] });
    const widened = (type: string, bytes: Buffer): Buffer => {
      const header = Buffer.concat([uint32(0x01000000), Buffer.alloc(16), uint32(1_000), Buffer.alloc(12)]);
      const start = bytes.indexOf(type) - 4;
      const wide = box(type, header);
      const grown = Buffer.concat([
        bytes.subarray(0, start),
        wide,
        bytes.subarray(start + bytes.readUInt32BE(start)),
      ]);
      const more = wide.length - bytes.readUInt32BE(start);
      for (const parent of type === "mdhd" ? ["moov", "trak", "mdia"] : ["moov"]) {
        const at = grown.indexOf(parent) - 4;
        grown.writeUInt32BE(grown.readUInt32BE(at) + more, at);
      }
      return grown;
    };
    for (const type of ["mvhd", "mdhd"]) {
      expect((await inspect(widened(type, file))).durationSeconds).toBe(0.7);
    }
  });
});

describe("A fragmented MP4 file", () => {
  const moov = (defaults: readonly [number, number]): Buffer => {
    const file = makeIndexedMp4({
      durations: [],
      samplesPerChunk: [],
      chunks: [],
      sizes: new Uint32Array(),
      fragmentDefaults: defaults,
    });
    return file.subarray(0, file.indexOf("mdat") - 4);
  };
  interface Run {
    readonly flags: number;
    readonly count: number;
    readonly fields?: readonly number[];
  }
  const run = ({ flags, count, fields = [] }: Run): Buffer => box("trun", uint32(flags, count, ...fields));
  const fragment = (header: readonly number[], runs: readonly Run[]): Buffer =>
    box("moof", box("traf", box("tfhd", uint32(...header)), ...runs.map(run)));
  const audioOf = async (file: Buffer, seconds: number): Promise<Buffer> => {
    const source = bufferSource(file);
    const cut = await collect(trimAudio(source, await inspectAudio(source), seconds));
    return cut.subarray(cut.indexOf("mdat") + 4);
  };
  const numbered = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, (_, index) => index));

  /** Audio behind a fragment; the offset is counted from the fragment's start. */
  const withData = (
    defaults: readonly [number, number],
    make: (dataOffset: number) => Buffer,
    data: Buffer,
  ): Buffer => Buffer.concat([moov(defaults), make(make(0).length + 8), box("mdat", data)]);

  it("takes what its samples have in common from the index", async () => {
    const file = withData(
      [100, 4],
      (at) => fragment([0, 0], [{ flags: 1, count: 12, fields: [at] }]),
      numbered(48),
    );
    expect((await inspect(file)).durationSeconds).toBe(1.2);
    expect((await audioOf(file, 0.6)).equals(numbered(24))).toBe(true);
  });

  it("takes it from the fragment where that says something else", async () => {
    // Flags: duration and size.
    const file = withData(
      [100, 4],
      (at) => fragment([0x18, 0, 250, 8], [{ flags: 1, count: 6, fields: [at] }]),
      numbered(48),
    );
    expect((await inspect(file)).durationSeconds).toBe(1.5);
    expect((await audioOf(file, 0.75)).equals(numbered(24))).toBe(true);
  });

  it("may have a number of a description before these", async () => {
    const file = withData(
      [100, 4],
      (at) => fragment([0x1a, 0, 1, 250, 8], [{ flags: 1, count: 6, fields: [at] }]),
      numbered(48),
    );
    expect((await inspect(file)).durationSeconds).toBe(1.5);
  });

  it("counts offsets from a base that it names", async () => {
    const start = moov([100, 4]).length;
    const make = (base: number): Buffer => fragment([1, 0, 0, base], [{ flags: 1, count: 12, fields: [0] }]);
    const base = start + make(0).length + 8;
    const file = Buffer.concat([moov([100, 4]), make(base), box("mdat", numbered(48))]);
    expect((await inspect(file)).durationSeconds).toBe(1.2);
    expect((await audioOf(file, 0.6)).equals(numbered(24))).toBe(true);
  });

  it("continues where the run before it ended, unless a run says where it starts", async () => {
    const file = withData(
      [100, 4],
      (at) =>
        fragment(
          [0, 0],
          [
            { flags: 1, count: 2, fields: [at] },
            { flags: 0, count: 10 },
          ],
        ),
      numbered(48),
    );
    expect((await inspect(file)).durationSeconds).toBe(1.2);
    expect((await audioOf(file, 0.6)).equals(numbered(24))).toBe(true);
  });

  it.each([
    ["durations", 0x100, (index: number) => [100 + index]],
    ["sizes", 0x200, (index: number) => [index + 1]],
    ["durations and sizes", 0x300, (index: number) => [100 + index, index + 1]],
    ["all that there can be", 0xf00, (index: number) => [100 + index, index + 1, 7, 9]],
    ["flags and times of display", 0xc00, () => [7, 9]],
  ])("may list %s of its samples", async (_, flags, fieldsOf) => {
    const count = 9;
    const fields = Array.from({ length: count }, (_sample, index) => fieldsOf(index)).flat();
    const hasDurations = (flags & 0x100) !== 0;
    const hasSizes = (flags & 0x200) !== 0;
    const file = withData(
      [100, 4],
      // The flags of the first sample stand before the list.
      (at) => fragment([0, 0], [{ flags: flags | 5, count, fields: [at, 0x02000000, ...fields] }]),
      numbered(45),
    );
    const ticks = (samples: number) => samples * 100 + (hasDurations ? (samples * (samples - 1)) / 2 : 0);
    const bytes = (samples: number) => (hasSizes ? (samples * (samples + 1)) / 2 : samples * 4);
    expect((await inspect(file)).durationSeconds).toBe(ticks(count) / 1_000);
    expect((await audioOf(file, 0.3)).equals(numbered(bytes(3)))).toBe(true);
  });

  it("leaves out the samples of other tracks, and of fragments that were cut off", async () => {
    const foreign = fragment([0, 5], [{ flags: 0, count: 1_000 }]);
    const own = (at: number): Buffer => fragment([0, 0], [{ flags: 1, count: 12, fields: [at] }]);
    const file = Buffer.concat([
      moov([100, 4]),
      foreign,
      own(own(0).length + 8),
      box("mdat", numbered(48)),
      own(8).subarray(0, -1),
    ]);
    expect((await inspect(file)).durationSeconds).toBe(1.2);
  });
});
