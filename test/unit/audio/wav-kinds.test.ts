import { describe, expect, it } from "vitest";
import { bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { UnreadableAudioError } from "../../../shared/audio/reading/audio-errors.ts";
import { makeMp3, mp3FrameSamples } from "../../fixtures/audio/make-mpeg.ts";
import { chunk, listChunk, makeWav, type WavOptions } from "../../fixtures/audio/make-wav.ts";
import { collect, fixture } from "../../fixtures/audio/sources.ts";

const inspect = (bytes: Buffer) => inspectAudio(bufferSource(bytes));

/** Bytes that tell samples apart. */
const counted = (length: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, index) => index % 251));

const kinds: readonly (readonly [string, WavOptions, string])[] = [
  ["8 bits", { bits: 8 }, "pcm"],
  ["16 bits", {}, "pcm"],
  ["16 bits, stereo", { channels: 2 }, "pcm"],
  ["24 bits", { bits: 24, channels: 2 }, "pcm"],
  ["32 bits", { bits: 32 }, "pcm"],
  ["32-bit float", { bits: 32, formatTag: 3 }, "float"],
  ["64-bit float", { bits: 64, formatTag: 3 }, "float"],
  ["A-law", { bits: 8, formatTag: 6, sampleRate: 8_000 }, "alaw"],
  ["mu-law", { bits: 8, formatTag: 7, sampleRate: 8_000 }, "mulaw"],
  ["extensible", { isExtensible: true, channels: 6, bits: 24, sampleRate: 48_000 }, "pcm"],
  ["extensible float", { isExtensible: true, bits: 32, formatTag: 3 }, "float"],
  ["RF64", { sizes: "rf64" }, "pcm"],
  ["streamed, sizes unknown", { sizes: "unknown" }, "pcm"],
  ["streamed, sizes never filled in", { sizes: "zero" }, "pcm"],
  ["a title before the sound", { chunksBefore: [listChunk] }, "pcm"],
  ["a title after the sound", { chunksAfter: [listChunk] }, "pcm"],
];

describe("A WAV file", () => {
  it("may call itself BW64, as broadcasters' recorders do (ITU-R BS.2088)", async () => {
    const file = makeWav({ sizes: "rf64", seconds: 3.25 });
    file.write("BW64", "latin1");
    expect(await inspect(file)).toMatchObject({ container: "wav", codec: "pcm", durationSeconds: 3.25 });
  });

  it("may state a length beyond all counting", async () => {
    const file = makeWav({ sizes: "rf64", seconds: 3.25 });
    file.writeBigUInt64LE(2n ** 63n, file.indexOf("ds64") + 16);
    expect(await inspect(file)).toMatchObject({ durationSeconds: 3.25 });
  });

  it.each(kinds)("is measured to the sample: %s", async (_, options, codec) => {
    const facts = await inspect(makeWav({ ...options, seconds: 3.25 }));
    expect(facts).toMatchObject({ container: "wav", codec, durationSeconds: 3.25 });
    expect(facts).toMatchObject({
      sampleRate: options.sampleRate ?? 16_000,
      channels: options.channels ?? 1,
    });
  });

  it.each(kinds)("is cut to the sample, with the same samples: %s", async (_, options, codec) => {
    const bytesPerSecond =
      ((options.bits ?? 16) / 8) * (options.channels ?? 1) * (options.sampleRate ?? 16_000);
    const data = counted(bytesPerSecond * 3);
    const source = bufferSource(makeWav({ ...options, data }));
    const output = await collect(trimAudio(source, await inspectAudio(source), 2));
    await expect(inspect(output)).resolves.toMatchObject({ codec, durationSeconds: 2 });
    expect(output.includes(data.subarray(0, bytesPerSecond * 2))).toBe(true);
    expect(output.readUInt32LE(4)).toBe(output.length - 8);
  });

  it("ends on a whole word when it is cut to an odd number of bytes", async () => {
    const source = bufferSource(makeWav({ bits: 8, sampleRate: 1_001, seconds: 3 }));
    const output = await collect(trimAudio(source, await inspectAudio(source), 1));
    expect(output.length % 2).toBe(0);
    await expect(inspect(output)).resolves.toMatchObject({ durationSeconds: 1 });
  });

  it("that was cut off is as long as the existing samples", async () => {
    const wav = makeWav({ seconds: 4 });
    await expect(inspect(wav.subarray(0, 44 + 32_001))).resolves.toMatchObject({ durationSeconds: 1 });
  });

  it("that is compressed and was cut off does not count what is missing", async () => {
    const wav = fixture("tone-adpcm.wav");
    const { durationSeconds } = await inspect(wav.subarray(0, wav.length >> 1));
    expect(Math.abs(durationSeconds - 0.76)).toBeLessThan(0.05);
  });

  /** MP3 in WAV as recorders write it whose bit rate varies. */
  const mp3InWav = (
    audio: Buffer,
    rates: { readonly bytesPerSecond: number; readonly blockBytes: number },
  ) => {
    const format = Buffer.alloc(30);
    format.writeUInt16LE(0x55, 0);
    format.writeUInt16LE(2, 2);
    format.writeUInt32LE(44_100, 4);
    format.writeUInt32LE(rates.bytesPerSecond, 8);
    format.writeUInt16LE(rates.blockBytes, 12);
    format.writeUInt16LE(12, 16);
    const chunks = [Buffer.from("WAVE"), chunk("fmt ", format), chunk("data", audio), listChunk];
    return chunk("RIFF", Buffer.concat(chunks));
  };

  it.each([
    { bytesPerSecond: 0, blockBytes: 1 },
    { bytesPerSecond: 0, blockBytes: 0 },
  ])("that holds MP3 and no rate of bytes is as long as its frames: %j", async (rates) => {
    const facts = await inspect(mp3InWav(makeMp3(100), rates));
    expect(facts).toMatchObject({ container: "wav", codec: "mp3", sampleRate: 44_100, channels: 1 });
    expect(facts.durationSeconds).toBeCloseTo((100 * mp3FrameSamples) / 44_100, 6);
  });

  it("that says it holds MP3 without a rate, and does not, is refused", async () => {
    const noise = mp3InWav(Buffer.alloc(5_000, 1), { bytesPerSecond: 0, blockBytes: 1 });
    await expect(inspect(noise)).rejects.toThrow(/contains no frame/);
    const adpcm = makeWav({ bits: 4, formatTag: 2, data: Buffer.alloc(100) });
    adpcm.writeUInt16LE(0, 32);
    await expect(inspect(adpcm)).rejects.toThrow(/implausible/);
  });

  it.each([
    ["no channels", makeWav({ channels: 0 })],
    ["a sample rate of zero", makeWav({ sampleRate: 0, data: Buffer.alloc(100) })],
    ["sample sizes that do not match", makeWav({ bits: 4, data: Buffer.alloc(100) })],
    ["an unknown encoding", makeWav({ formatTag: 0x1234 })],
    ["no audio", makeWav({ seconds: 0 })],
    [
      "its audio before its format",
      chunk("RIFF", Buffer.concat([Buffer.from("WAVE"), chunk("data", Buffer.alloc(9))])),
    ],
    ["nothing but its name", Buffer.from("RIFF\0\0\0\0WAVE")],
  ])("is refused with a message: %s", async (_, wav) => {
    await expect(inspect(wav)).rejects.toThrow(UnreadableAudioError);
    await expect(inspect(wav)).rejects.toThrow(/^The .+\.$/);
  });
});
