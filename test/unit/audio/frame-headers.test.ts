import { describe, expect, it } from "vitest";
import { type AudioFacts, bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { makeFlac, makeFlacFrameOf } from "../../fixtures/audio/make-flac.ts";
import { makeAdts, makeAdtsFrame, makeMp3Frame, repeat } from "../../fixtures/audio/make-mpeg.ts";
import { collect } from "../../fixtures/audio/sources.ts";

const inspect = (bytes: Buffer): Promise<AudioFacts> => inspectAudio(bufferSource(bytes));

describe("A frame of MP3", () => {
  // ISO 11172-3 and 13818-3; version 2.5 halves version 2 once more.
  const versions = [
    { name: "1", bits: 3, rates: [44_100, 48_000, 32_000], samples: 1_152 },
    { name: "2", bits: 2, rates: [22_050, 24_000, 16_000], samples: 576 },
    { name: "2.5", bits: 0, rates: [11_025, 12_000, 8_000], samples: 576 },
  ];
  const kilobits: Readonly<Record<string, readonly number[]>> = {
    "1": [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    "2": [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    "2.5": [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  };
  const header = (
    version: number,
    bitRate: number,
    rate: number,
    padding = 0,
    mode = 3,
  ): readonly number[] => [
    0xff,
    0xe0 | (version << 3) | 0x03,
    (bitRate << 4) | (rate << 2) | (padding << 1),
    mode << 6,
  ];
  const frameOf = (bytes: readonly number[], length: number): Buffer => {
    const frame = Buffer.alloc(length, 0x55);
    frame.set(bytes);
    return frame;
  };

  it.each(versions)("of version $name is as long as its bit rate and sample rate say", async (version) => {
    for (const [rate, sampleRate] of version.rates.entries()) {
      for (const [index, kilobit] of (kilobits[version.name] ?? []).entries()) {
        for (const padding of [0, 1]) {
          const length = Math.floor((version.samples * kilobit * 1_000) / 8 / sampleRate) + padding;
          const frame = frameOf(header(version.bits, index + 1, rate, padding), length);
          const facts = await inspect(repeat(frame, 10));
          expect(facts).toMatchObject({ codec: "mp3", sampleRate, channels: 1 });
          expect(facts.durationSeconds).toBeCloseTo((10 * version.samples) / sampleRate, 9);
        }
      }
    }
  });

  it.each([
    [0, 2],
    [1, 2],
    [2, 2],
    [3, 1],
  ])("of mode %i has %i channels", async (mode, channels) => {
    await expect(inspect(repeat(frameOf(header(3, 1, 0, 0, mode), 104), 10))).resolves.toMatchObject({
      channels,
    });
  });

  it.each([
    ["free format", header(3, 0, 0)],
    ["a bit rate that does not exist", header(3, 15, 0)],
    ["a sample rate that does not exist", header(3, 1, 3)],
    ["a reserved version", header(1, 1, 0)],
    ["layer I", [0xff, 0xff, 0x10, 0xc0]],
    ["layer II of version 2.5", [0xff, 0xe5, 0x10, 0xc0]],
  ])("is invalid with %s", async (_, bytes) => {
    await expect(inspect(repeat(frameOf(bytes, 104), 10))).rejects.toThrow(
      /^The file is not a supported audio file/,
    );
  });

  it("of another version or sample rate than the first plays at its own rate", async () => {
    const first = repeat(frameOf(header(3, 1, 0), 104), 20);
    const other = repeat(frameOf(header(3, 1, 1), 96), 5);
    const facts = await inspect(Buffer.concat([first, other, first]));
    expect(facts.durationSeconds).toBeCloseTo((40 * 1_152) / 44_100 + (5 * 1_152) / 48_000, 9);
  });

  // The offset of the header depends on version and channels; VBRI has one of its own.
  it.each([
    ["Xing, version 1, mono", 3, 3, 21, "Xing"],
    ["Info, version 1, stereo", 3, 0, 36, "Info"],
    ["Xing, version 2, mono", 2, 3, 13, "Xing"],
    ["Info, version 2, stereo", 2, 0, 21, "Info"],
    ["VBRI", 3, 0, 36, "VBRI"],
  ])("with a header instead of audio is not counted: %s", async (_, version, mode, offset, tag) => {
    const samples = version === 3 ? 1_152 : 576;
    const [length, sampleRate] = version === 3 ? [208, 44_100] : [104, 22_050];
    const frame = frameOf(header(version, version === 3 ? 5 : 4, 0, 0, mode), length);
    const first = Buffer.from(frame).fill(0, 4);
    first.write(tag, offset, "latin1");
    const facts = await inspect(Buffer.concat([first, repeat(frame, 10)]));
    expect(facts.durationSeconds).toBeCloseTo((10 * samples) / sampleRate, 9);
    first.write("----", offset, "latin1");
    const counted = await inspect(Buffer.concat([first, repeat(frame, 10)]));
    expect(counted.durationSeconds).toBeCloseTo((11 * samples) / sampleRate, 9);
  });

  it.each([
    ["LAME3.100", 1],
    ["Lavc60.31", 1],
    ["Lavf60.16", 1],
    ["Gogo", 0],
  ])("of the encoder %s has its delay after all fields that the flags announce", async (encoder, counts) => {
    const first = Buffer.alloc(208);
    first.set(header(3, 5, 0));
    first.write("Xing", 21, "latin1");
    first.writeUInt32BE(15, 25);
    first.writeUInt32BE(30, 29);
    // Frames, bytes, a seek table of a hundred bytes and the quality come before it.
    first.write(encoder, 33 + 4 + 100 + 4, "latin1");
    first.writeUIntBE((576 << 12) | 1_000, 33 + 108 + 21, 3);
    const facts = await inspect(Buffer.concat([first, repeat(frameOf(header(3, 5, 0), 208), 30)]));
    expect(facts.durationSeconds).toBeCloseTo((30 * 1_152 - counts * 1_576) / 44_100, 9);
  });

  it("keeps its encoder's words in a cut, with a checksum that is right", async () => {
    const first = makeMp3Frame(0);
    first.write("Info", 21, "latin1");
    first.writeUInt32BE(1, 25);
    first.writeUInt32BE(200, 29);
    first.write("LAME3.100", 33, "latin1");
    first.writeUIntBE((576 << 12) | 1_000, 54, 3);
    first.fill(0x77, 57, 69);
    const source = bufferSource(Buffer.concat([first, repeat(makeMp3Frame(), 200)]));
    const cut = await collect(trimAudio(source, await inspectAudio(source), 2));
    expect(cut.subarray(33, 42).toString("latin1")).toBe("LAME3.100");
    expect(cut.subarray(57, 61).equals(Buffer.alloc(4, 0x77))).toBe(true);
    // The length and the checksum of the music are of the whole.
    expect(cut.subarray(61, 67).equals(Buffer.alloc(6))).toBe(true);
    expect(cut.readUInt16BE(67)).toBe(crc16(cut.subarray(0, 67)));
  });
});

/** CRC-16/ARC, from its table-free definition: bits are taken from the lowest on. */
const crc16 = (bytes: Uint8Array): number => {
  let crc = 0;
  for (const byte of bytes) {
    for (let bit = 0; bit < 8; bit += 1) {
      const isSet = (crc ^ (byte >> bit)) & 1;
      crc = (crc >> 1) ^ (isSet ? 0xa001 : 0);
    }
  }
  return crc;
};

describe("A frame of AAC", () => {
  const rates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
  ];
  const frameOf = (rate: number, channels: number, blocks = 1): Buffer => {
    const frame = makeAdtsFrame(64);
    frame[2] = 0x40 | (rate << 2) | (channels >> 2);
    frame[3] = (channels & 3) << 6;
    frame[6] = 0xfc | (blocks - 1);
    return frame;
  };

  it("says its sample rate by its index in the standard", async () => {
    for (const [index, sampleRate] of rates.entries()) {
      const facts = await inspect(repeat(frameOf(index, 1), 10));
      expect(facts).toMatchObject({ codec: "aac", sampleRate });
      expect(facts.durationSeconds).toBeCloseTo(10_240 / sampleRate, 9);
    }
    for (const index of [13, 14, 15]) await expect(inspect(repeat(frameOf(index, 1), 10))).rejects.toThrow();
  });

  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [3, 3],
    [6, 6],
    [7, 8],
  ])("of configuration %i has %i channels", async (configuration, channels) => {
    await expect(inspect(repeat(frameOf(8, configuration), 10))).resolves.toMatchObject({ channels });
  });

  it("may hold up to four blocks", async () => {
    for (const blocks of [1, 2, 3, 4]) {
      expect((await inspect(repeat(frameOf(8, 1, blocks), 10))).durationSeconds).toBeCloseTo(
        (10 * blocks * 1_024) / 16_000,
        9,
      );
    }
  });

  it.each([
    ["7 bytes that are nothing but a header", 7, 0xf1],
    ["9 bytes that are nothing but a header with a checksum", 9, 0xf0],
  ])("is invalid with %s", async (_, length, second) => {
    const frame = makeAdtsFrame(length);
    frame[1] = second;
    await expect(inspect(repeat(frame, 100))).rejects.toThrow(/^The file is not a supported audio file/);
    const longer = makeAdtsFrame(length + 1);
    longer[1] = second;
    expect((await inspect(repeat(longer, 100))).durationSeconds).toBe(6.4);
  });

  it("is read to the end of the data, and not beyond", async () => {
    const whole = makeAdts(100);
    expect((await inspect(whole.subarray(0, whole.length - 1))).durationSeconds).toBeCloseTo(6.336, 9);
    expect((await inspect(whole.subarray(0, whole.length - 64))).durationSeconds).toBeCloseTo(6.336, 9);
  });
});

describe("A frame of FLAC", () => {
  const head = makeFlac(0, { announcedSamples: 0 });

  it.each([
    [1, 192],
    [2, 576],
    [3, 1_152],
    [4, 2_304],
    [5, 4_608],
    [8, 256],
    [9, 512],
    [12, 4_096],
    [13, 8_192],
  ])("with block size code %i holds %i samples", async (code, samples) => {
    const frame = (number: number) =>
      makeFlacFrameOf([Buffer.from([0xff, 0xf8, (code << 4) | 5, 0x08, number])]);
    const { durationSeconds } = await inspect(Buffer.concat([head, frame(0), frame(1), frame(2)]));
    expect(durationSeconds).toBe((3 * samples) / 16_000);
  });

  it.each([
    ["8 bits behind the number", 6, [199], 200],
    ["16 bits behind the number", 7, [0x0f, 0xff], 4_096],
  ])("may say its block size in %s", async (_, code, bytes, samples) => {
    const frame = (number: number) =>
      makeFlacFrameOf([Buffer.from([0xff, 0xf8, (code << 4) | 5, 0x08, number, ...bytes])]);
    const { durationSeconds } = await inspect(Buffer.concat([head, frame(0), frame(1)]));
    expect(durationSeconds).toBe((2 * samples) / 16_000);
  });

  it.each([
    ["8 bits", 12, [16]],
    ["16 bits", 13, [0x3e, 0x80]],
    ["16 bits, in tens", 14, [0x06, 0x40]],
  ])("may say its sample rate in %s behind the number", async (_, code, bytes) => {
    const frame = (number: number) =>
      makeFlacFrameOf([Buffer.from([0xff, 0xf8, 0xc0 | code, 0x08, number, ...bytes])]);
    const { durationSeconds } = await inspect(Buffer.concat([head, frame(0), frame(1)]));
    expect(durationSeconds).toBe(8_192 / 16_000);
  });

  it.each([
    ["a reserved block size", [0xff, 0xf8, 0x05, 0x08, 0]],
    ["a reserved form of channels", [0xff, 0xf8, 0xc5, 0xb8, 0]],
    ["a number that continues with an invalid byte", [0xff, 0xf8, 0xc5, 0x08, 0xc2, 0x00]],
    ["a number that begins in its middle", [0xff, 0xf8, 0xc5, 0x08, 0x80]],
    ["a mark of another kind", [0xff, 0xfa, 0xc5, 0x08, 0]],
  ])("is invalid with %s", async (_, bytes) => {
    const frame = makeFlacFrameOf([Buffer.from(bytes)]);
    await expect(inspect(Buffer.concat([head, frame, frame]))).rejects.toThrow(/contains no audio/);
    const audio = makeFlacFrameOf([Buffer.from([0xff, 0xf8, 0xc5, 0xa8, 0])]);
    await expect(inspect(Buffer.concat([head, audio]))).resolves.toMatchObject({ durationSeconds: 0.256 });
  });

  it("is invalid with a wrong checksum", async () => {
    const frame = makeFlacFrameOf([Buffer.from([0xff, 0xf8, 0xc5, 0x08, 0])]);
    frame.writeUInt8(frame.readUInt8(5) ^ 1, 5);
    await expect(inspect(Buffer.concat([head, frame]))).rejects.toThrow(/contains no audio/);
  });

  it("counts in a cut from the first existing sample", async () => {
    const frames = makeFlac(20 * 16_000);
    const start = 42;
    const frameBytes = 13;
    const later = Buffer.concat([frames.subarray(0, start), frames.subarray(start + 10 * frameBytes)]);
    await expect(inspect(later)).resolves.toMatchObject({ durationSeconds: 20 - (10 * 4_096) / 16_000 });
    const source = bufferSource(later);
    const cut = await collect(trimAudio(source, await inspectAudio(source), 5));
    await expect(inspect(cut)).resolves.toMatchObject({ durationSeconds: (20 * 4_096) / 16_000 });
  });
});
