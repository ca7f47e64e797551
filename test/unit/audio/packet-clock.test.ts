import { describe, expect, it } from "vitest";
import { packetClock } from "../../../shared/audio/packets/packet-clock.ts";

const none = new Uint8Array(0);
const plain = { sampleRate: 16_000, channels: 1 };

const secondsOf = (codec: string, packet: readonly number[], more: object = {}): number =>
  packetClock({ codec, ...plain, ...more }).secondsOf(packet.length, Uint8Array.from(packet));

describe("A packet of Opus", () => {
  // RFC 6716, table 2: the first configuration of each band and mode, and the last.
  it.each([
    ["two equal frames", [0b01001_001, 1, 1], 0.04],
    ["two frames", [0b01001_010, 1, 1], 0.04],
    ["five frames", [0b01001_011, 5], 0.1],
    ["more frames than a packet may have", [0b01011_011, 48], 0.12],
    ["no frames", [0b01001_011, 0], 0],
    ["no bytes", [], 0],
  ])("plays as long as its first bytes say: %s", (_, packet, seconds) => {
    expect(secondsOf("opus", packet)).toBeCloseTo(seconds, 9);
  });
});

describe("The configuration of a packet of Opus", () => {
  // RFC 6716, table 2.
  it.each([
    ["SILK, narrow band", 0, [10, 20, 40, 60]],
    ["SILK, medium band", 4, [10, 20, 40, 60]],
    ["SILK, wide band", 8, [10, 20, 40, 60]],
    ["hybrid, super-wide band", 12, [10, 20]],
    ["hybrid, full band", 14, [10, 20]],
    ["CELT, narrow band", 16, [2.5, 5, 10, 20]],
    ["CELT, wide band", 20, [2.5, 5, 10, 20]],
    ["CELT, super-wide band", 24, [2.5, 5, 10, 20]],
    ["CELT, full band", 28, [2.5, 5, 10, 20]],
  ])("says how long its frame plays: %s", (_, first, milliseconds) => {
    expect(milliseconds.map((_length, index) => secondsOf("opus", [(first + index) << 3]) * 1_000)).toEqual(
      milliseconds,
    );
  });
});

describe("A packet of AAC", () => {
  it.each([
    ["AAC-LC at 16 kHz", [0x14, 0x08], 1_024 / 16_000],
    ["AAC-LC of 960 samples", [0x14, 0x0c], 960 / 16_000],
    ["AAC-LC at a rate of its own", [0x17, 0x80, 0x1f, 0x40, 0x08], 1_024 / 16_000],
    ["HE-AAC, 22.05 kHz for 44.1", [0x2b, 0x8a, 0x08, 0x00], 1_024 / 22_050],
    ["HE-AAC v2, 22.05 kHz for 44.1", [0xeb, 0x8a, 0x08, 0x00], 1_024 / 22_050],
    ["AAC-LD at 48 kHz", [0xb9, 0x88], 512 / 48_000],
    ["AAC-ELD of 480 samples at 48 kHz", [0xf8, 0xe6, 0x30], 480 / 48_000],
    ["xHE-AAC without SBR", [0xf9, 0x50, 0x28, 0x20], 1_024 / 16_000],
    ["xHE-AAC of 2,048 samples at 16 kHz", [0xf9, 0x50, 0x28, 0x60], 2_048 / 16_000],
    ["nothing that can be read", [], 1_024 / 16_000],
  ])("plays as its configuration says: %s", (_, configuration, seconds) => {
    const clock = packetClock({ codec: "aac", ...plain, configuration: Uint8Array.from(configuration) });
    expect(clock.needsOnlySize).toBe(true);
    expect(clock.secondsOf(100, none)).toBeCloseTo(seconds, 9);
  });

  it("has more frames when it is larger than one can be", () => {
    const clock = packetClock({ codec: "aac", ...plain, channels: 2 });
    expect(clock.secondsOf(3_072, none)).toBeCloseTo(0.064, 9);
    expect(clock.secondsOf(3_073, none)).toBeCloseTo(0.128, 9);
  });
});

describe("A packet of Dolby's codecs", () => {
  const frame = (bytes: number, ...head: readonly number[]): number[] => [
    ...head,
    ...new Array<number>(bytes - head.length).fill(0),
  ];

  it.each([
    ["AC-3, 32 kbit/s at 48 kHz", frame(128, 0x0b, 0x77, 0, 0, 0x00, 0x40), 0.032],
    ["AC-3, 32 kbit/s at 44.1 kHz, padded", frame(140, 0x0b, 0x77, 0, 0, 0x41, 0x40), 1_536 / 44_100],
    ["AC-3, 40 kbit/s at 32 kHz", frame(240, 0x0b, 0x77, 0, 0, 0x82, 0x40), 0.048],
    ["E-AC-3 of six blocks at 48 kHz", frame(100, 0x0b, 0x77, 0, 49, 0x30, 0x80), 0.032],
    ["E-AC-3 of one block at 48 kHz", frame(100, 0x0b, 0x77, 0, 49, 0x00, 0x80), 256 / 48_000],
    ["E-AC-3 at 24 kHz", frame(100, 0x0b, 0x77, 0, 49, 0xc0, 0x80), 1_536 / 24_000],
  ])("plays as long as all its frames: %s", (_, packet, seconds) => {
    expect(secondsOf("ac3", packet)).toBeCloseTo(seconds, 9);
    expect(secondsOf("eac3", [...packet, ...packet, ...packet])).toBeCloseTo(3 * seconds, 9);
  });

  it("ends where its bit rate says, at all bit rates", () => {
    const rates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];
    for (const [index, rate] of rates.entries()) {
      const one = frame(rate * 4, 0x0b, 0x77, 0, 0, index * 2, 0x40);
      expect(secondsOf("ac3", [...one, ...one])).toBeCloseTo(0.064, 9);
    }
  });

  it("counts no frame that belongs to another", () => {
    const dependent = frame(100, 0x0b, 0x77, 0x40, 49, 0x30, 0x80);
    expect(secondsOf("eac3", [...frame(100, 0x0b, 0x77, 0, 49, 0x30, 0x80), ...dependent])).toBeCloseTo(
      0.032,
      9,
    );
  });

  it("is not counted behind a header that does not exist", () => {
    expect(secondsOf("ac3", frame(128, 0x0b, 0x77, 0, 0, 0xff, 0x40))).toBe(0);
    expect(secondsOf("ac3", frame(128, 1, 2, 3))).toBe(0);
  });
});

describe("A packet of AMR", () => {
  it.each([
    ["amr", [0x3c, ...new Array<number>(31).fill(0)], 1],
    ["amr", [0x04, ...new Array<number>(12).fill(0), 0x7c, 0x7c], 3],
    ["amr-wb", [0x44, ...new Array<number>(60).fill(0), 0x4c, 0, 0, 0, 0, 0], 2],
  ])("plays 20 ms for each frame: %s", (codec, packet, frames) => {
    expect(secondsOf(codec, packet)).toBeCloseTo(frames * 0.02, 9);
  });

  // RFC 4867, section 5.3: bytes of a frame with its first, by its mode.
  it.each([
    ["amr", [13, 14, 16, 18, 20, 21, 27, 32, 6]],
    ["amr-wb", [18, 24, 33, 37, 41, 47, 51, 59, 61, 6]],
  ])("has frames of a size for each mode: %s", (codec, sizes) => {
    for (const [mode, size] of sizes.entries()) {
      const frame = [mode << 3, ...new Array<number>(size - 1).fill(0xff)];
      expect(secondsOf(codec, [...frame, ...frame])).toBeCloseTo(0.04, 9);
    }
  });
});

describe("A packet of ALAC", () => {
  const configuration = new Uint8Array(24);
  configuration.set([0, 0, 0x10, 0], 0);
  configuration.set([0, 0, 0x3e, 0x80], 20);

  it("has the samples of its configuration, or fewer by its first bits", () => {
    expect(secondsOf("alac", [0, 0, 0, 0, 0, 0, 0], { configuration })).toBe(0.256);
    // A hundred samples, after the 23 bits of the element's head.
    expect(secondsOf("alac", [0, 0, 0x10, 0, 0, 0, 200], { configuration })).toBe(100 / 16_000);
    expect(secondsOf("alac", [0, 0, 0x11, 0xff, 0xff, 0xff, 0xff], { configuration })).toBe(0.256);
  });

  it("counts nothing without a configuration, and is not read", () => {
    expect(packetClock({ codec: "alac", ...plain }).needsOnlySize).toBe(true);
    expect(secondsOf("alac", [1, 2, 3])).toBe(0);
  });
});

describe("Uncompressed samples", () => {
  it("play as long as their bytes, one at least", () => {
    const clock = packetClock({ codec: "pcm", ...plain, channels: 2, bytesPerSample: 3 });
    expect(clock.secondsOf(6 * 16_000, none)).toBe(1);
    expect(clock.secondsOf(1, none)).toBe(1 / 16_000);
  });
});
