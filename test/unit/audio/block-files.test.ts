import { describe, expect, it } from "vitest";
import { cutPiece, planPieces } from "../../../shared/audio/pieces/cut-pieces.ts";
import { bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { makeAiff, makeAu, makeCaf, makePacketCaf, makeW64 } from "../../fixtures/audio/make-blocks.ts";
import { makeMp3, repeat } from "../../fixtures/audio/make-mpeg.ts";
import { chunk, makeWav } from "../../fixtures/audio/make-wav.ts";
import { collect, fixture } from "../../fixtures/audio/sources.ts";

const inspect = (bytes: Buffer) => inspectAudio(bufferSource(bytes));

const pattern = Uint8Array.from({ length: 251 }, (_, index) => (index * 7) % 251);

/** Bytes that tell blocks apart. */
const counted = (length: number): Buffer => Buffer.alloc(length, pattern);

/** An encoding: how many bytes and samples a block has, and at which rate. */
const kinds: readonly (readonly [
  name: string,
  container: string,
  codec: string,
  make: (data: Buffer) => Buffer,
  bytes: number,
  samples: number,
])[] = [
  ["AIFF", "aiff", "pcm", (data) => makeAiff({ data }), 2, 1],
  ["AIFF of 24 bits, stereo", "aiff", "pcm", (data) => makeAiff({ data, bits: 24, channels: 2 }), 6, 1],
  ["AIFF-C, low byte first", "aiff", "pcm", (data) => makeAiff({ data, encoding: "sowt" }), 2, 1],
  ["AIFF-C of floats", "aiff", "float", (data) => makeAiff({ data, encoding: "fl32", bits: 32 }), 4, 1],
  ["AIFF-C of mu-law", "aiff", "mulaw", (data) => makeAiff({ data, encoding: "ulaw" }), 1, 1],
  ["AIFF-C of IMA ADPCM", "aiff", "adpcm", (data) => makeAiff({ data, encoding: "ima4" }), 34, 64],
  ["AIFF-C of GSM", "aiff", "gsm", (data) => makeAiff({ data, encoding: "GSM " }), 33, 160],
  ["AU", "au", "pcm", (data) => makeAu({ data }), 2, 1],
  ["AU of mu-law", "au", "mulaw", (data) => makeAu({ data, encoding: "ulaw" }), 1, 1],
  ["AU of floats, stereo", "au", "float", (data) => makeAu({ data, encoding: "fl32", channels: 2 }), 8, 1],
  ["CAF", "caf", "pcm", (data) => makeCaf({ data }), 2, 1],
  ["CAF of A-law", "caf", "alaw", (data) => makeCaf({ data, encoding: "alaw", bits: 8 }), 1, 1],
  [
    "CAF of IMA ADPCM",
    "caf",
    "adpcm",
    (data) => makeCaf({ data, encoding: "ima4", bits: 0 }, { bytes: 34, samples: 64 }),
    34,
    64,
  ],
  ["W64", "w64", "pcm", (data) => makeW64(makeWav({ data })), 2, 1],
  ["W64 of GSM", "w64", "gsm", (data) => makeW64(makeWav({ data, formatTag: 0x31 })), 65, 320],
  ["WAV of GSM", "wav", "gsm", (data) => makeWav({ data, formatTag: 0x31 }), 65, 320],
  ["WAV of IMA ADPCM", "wav", "adpcm", (data) => adpcm(0x11, data), 256, 505],
  ["WAV of Microsoft's ADPCM", "wav", "adpcm", (data) => adpcm(0x02, data), 256, 500],
];

function adpcm(formatTag: number, data: Buffer): Buffer {
  const wav = makeWav({ data, formatTag, bits: 4 });
  wav.writeUInt16LE(256, 32);
  return wav;
}

const seconds = 13;
const limits = { maxSeconds: 6, overlapSeconds: 1 };

describe("A recording of samples or blocks behind a header", () => {
  it.each(kinds)("is measured to the block: %s", async (_, container, codec, make, bytes, samples) => {
    const facts = await inspect(make(counted(bytes * 500)));
    expect(facts).toMatchObject({ container, codec, sampleRate: 16_000 });
    expect(facts.durationSeconds).toBeCloseTo((500 * samples) / 16_000, 6);
  });

  it.each(kinds)("is shortened at a block: %s", async (_, container, codec, make, bytes, samples) => {
    const blocks = Math.ceil(32_000 / samples);
    const data = counted(bytes * blocks);
    const source = bufferSource(make(data));
    const facts = await inspectAudio(source);
    const cut = await collect(trimAudio(source, facts, 1));
    const taken = Math.ceil(16_000 / samples);
    const after = await inspect(cut);
    expect(after).toMatchObject({ container, codec, sampleRate: 16_000 });
    expect(after.durationSeconds).toBeCloseTo((taken * samples) / 16_000, 6);
    expect(cut.includes(data.subarray(0, taken * bytes))).toBe(true);
  });

  it.each(kinds)("is cut into pieces of blocks: %s", async (_, container, codec, make, bytes, samples) => {
    const data = counted(bytes * Math.ceil((seconds * 16_000) / samples));
    const source = bufferSource(make(data));
    const pieces = await planPieces(source, await inspectAudio(source), limits);
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) {
      const file = await collect(cutPiece(source, piece));
      const facts = await inspect(file);
      expect(facts).toMatchObject({ container, codec });
      expect(facts.durationSeconds).toBeCloseTo(piece.end - piece.start, 3);
      const start = Math.round((piece.start * 16_000) / samples) * bytes;
      expect(file.includes(data.subarray(start, start + 4_096))).toBe(true);
    }
    expect(pieces.at(-1)?.end).toBeCloseTo((data.length / bytes / 16_000) * samples, 3);
  });

  it.each([
    ["an encoding that is unknown, in AIFF-C", makeAiff({ data: counted(100), encoding: "QDMC" })],
    ["no channels, in AIFF", makeAiff({ data: counted(100), channels: 0 })],
    ["a rate of nothing, in AU", makeAu({ data: counted(100), sampleRate: 0 })],
    ["an encoding that is unknown, in AU", makeAu({ data: counted(100), encoding: "G.721" })],
    ["its head only, of AIFF", makeAiff({ data: counted(100) }).subarray(0, 40)],
    ["its head only, of CAF", makeCaf({ data: counted(100) }).subarray(0, 60)],
    ["its head only, of W64", makeW64(makeWav()).subarray(0, 90)],
  ] satisfies readonly (readonly [string, Buffer])[])("is refused with a message: %s", async (_, file) => {
    await expect(inspect(file)).rejects.toThrow(/^The (AIFF|AU|CAF|Wave64) file.+\.$/);
  });

  it("counts what there is where its writer did not know the length", async () => {
    const au = makeAu({ data: counted(32_000) });
    au.writeUInt32BE(0xffffffff, 8);
    expect((await inspect(au)).durationSeconds).toBe(1);
    const caf = makeCaf({ data: counted(32_000) });
    caf.fill(0xff, caf.indexOf("data") + 4, caf.indexOf("data") + 12);
    expect((await inspect(caf)).durationSeconds).toBe(1);
  });

  it("is read behind an ID3 tag: WAV", async () => {
    const tag = Buffer.from("ID3\x03\0\0\0\0\0\x20".padEnd(42, "\0"), "latin1");
    const source = bufferSource(Buffer.concat([tag, makeWav({ seconds: 3 })]));
    const facts = await inspectAudio(source);
    expect(facts).toMatchObject({ container: "wav", durationSeconds: 3 });
    expect((await inspect(await collect(trimAudio(source, facts, 1)))).durationSeconds).toBe(1);
  });
});

describe("CAF whose packets differ in size", () => {
  it("is measured, shortened and cut between packets", async () => {
    const packets = Math.ceil((seconds * 16_000) / 1_024);
    const source = bufferSource(makePacketCaf(packets));
    const facts = await inspectAudio(source);
    expect(facts).toMatchObject({ container: "caf", codec: "aac", sampleRate: 16_000 });
    expect(facts.durationSeconds).toBeCloseTo((packets * 1_024) / 16_000, 6);
    const short = await inspect(await collect(trimAudio(source, facts, 5.12)));
    expect(short).toMatchObject({ container: "caf", durationSeconds: expect.closeTo(5.12, 1) });
    const pieces = await planPieces(source, facts, limits);
    expect(pieces).toHaveLength(3);
    for (const piece of pieces) {
      const file = await collect(cutPiece(source, piece));
      expect((await inspect(file)).durationSeconds).toBeCloseTo(piece.end - piece.start, 3);
      const packet = Math.round((piece.start * 16_000) / 1_024);
      expect(file.subarray(file.indexOf("data") + 16, file.indexOf("data") + 216)).toEqual(
        Buffer.alloc(200 + (packet % 50), packet).subarray(0, 200),
      );
    }
  });

  it("counts as long as its packets play when it states less", async () => {
    const facts = await inspect(makePacketCaf(1_000, 16));
    expect(facts).toMatchObject({ durationSeconds: expect.closeTo(64, 6), hasWrongTimes: true });
  });
});

describe("WAV as careless writers leave it", () => {
  it("is read without a rate of bytes, or a size of blocks", async () => {
    const wav = makeWav({ seconds: 2 });
    wav.writeUInt32LE(0, 28);
    wav.writeUInt16LE(0, 32);
    expect((await inspect(wav)).durationSeconds).toBe(2);
    expect((await inspect(fixture("tone-adpcm.wav"))).durationSeconds).toBeCloseTo(1.53, 1);
  });

  it("is read and cut with its format behind the audio", async () => {
    const wav = makeWav({ seconds: 3 });
    const [format, data] = [chunk("fmt ", wav.subarray(20, 36)), chunk("data", wav.subarray(44))];
    const source = bufferSource(chunk("RIFF", Buffer.concat([Buffer.from("WAVE"), data, format])));
    const facts = await inspectAudio(source);
    expect(facts).toMatchObject({ codec: "pcm", durationSeconds: 3 });
    expect((await inspect(await collect(trimAudio(source, facts, 1)))).durationSeconds).toBe(1);
  });
});

describe("Frames of MPEG in WAV", () => {
  const layer2 = Buffer.alloc(192, 0x55);
  layer2.set([0xff, 0xfd, 0x44, 0xc0]);

  it.each([
    ["mp3", 0x55, 44_100, makeMp3(50_000), 1_152],
    ["mp2", 0x50, 48_000, repeat(layer2, 50_000), 1_152],
  ] as const)(
    "are measured, and cut between frames: %s",
    async (codec, formatTag, sampleRate, data, samples) => {
      const source = bufferSource(makeWav({ data, formatTag, sampleRate }));
      const facts = await inspectAudio(source);
      expect(facts).toMatchObject({ container: "wav", codec, sampleRate });
      expect(facts.durationSeconds).toBeCloseTo((50_000 * samples) / sampleRate, 6);
      const pieces = await planPieces(source, facts);
      expect(pieces).toHaveLength(3);
      for (const piece of pieces) {
        const after = await inspect(await collect(cutPiece(source, piece)));
        expect(after).toMatchObject({ container: "wav", codec });
        expect(Math.abs(after.durationSeconds - (piece.end - piece.start))).toBeLessThan(0.03);
      }
    },
  );
});
