import { describe, expect, it } from "vitest";
import { UnreadableAudioError } from "../../../shared/audio/reading/audio-errors.ts";
import { readWavHeader, type SampleFormat, wavDuration } from "../../../shared/audio/wav/wav-header.ts";
import { listChunk, makeWav } from "../../fixtures/audio/make-wav.ts";
import { fixture } from "../../fixtures/audio/sources.ts";

const speech: SampleFormat = { encoding: "pcm", sampleRate: 24_000, channels: 1, bitsPerSample: 16 };

describe("The header of a WAV stream", () => {
  it.each([
    ["pcm", 1, 16],
    ["float", 3, 32],
    ["alaw", 6, 8],
    ["mulaw", 7, 8],
  ] as const)("reads the format of %s samples and how much audio follows", (encoding, formatTag, bits) => {
    const options = { sampleRate: 24_000, channels: 2, bits, formatTag, data: Buffer.alloc(480) };
    expect(readWavHeader(makeWav(options).subarray(0, 44))).toEqual({
      format: { encoding, sampleRate: 24_000, channels: 2, bitsPerSample: bits },
      dataStart: 44,
      dataBytes: 480,
    });
  });

  it("may say that the length is unknown", () => {
    expect(readWavHeader(makeWav({ sampleRate: 24_000, sizes: "unknown" }))).toEqual({
      format: speech,
      dataStart: 44,
      dataBytes: undefined,
    });
  });

  it("returns nothing while it is incomplete", () => {
    const wav = makeWav({ chunksBefore: [listChunk] });
    const length = 44 + listChunk.length;
    for (let end = 0; end < length; end += 1) expect(readWavHeader(wav.subarray(0, end))).toBeUndefined();
    expect(readWavHeader(wav.subarray(0, length))).toMatchObject({ dataStart: length });
  });

  it("may be a megabyte long, and no longer", () => {
    const maxLength = 1 << 20;
    const withList = (bytes: number) => {
      const list = Buffer.alloc(bytes, 0);
      list.write("LIST", 0, "latin1");
      list.writeUInt32LE(bytes - 8, 4);
      return makeWav({ chunksBefore: [list] });
    };
    expect(readWavHeader(withList(maxLength - 44))).toMatchObject({ dataStart: maxLength });
    expect(() => readWavHeader(withList(maxLength - 42))).toThrow(/header is too long/);
  });

  it.each([
    ["no WAV", Buffer.from("<html>The model is loading</html>"), /not WAV audio/],
    ["a RIFF file of another kind", Buffer.from("RIFF\x24\0\0\0AVI LIST", "latin1"), /not WAV audio/],
    ["a compressed encoding", fixture("tone-adpcm.wav"), /contains adpcm, not samples/],
    [
      "a chunk larger than any header",
      makeWav({ chunksBefore: [Buffer.concat([Buffer.from("LIST\xff\xff\xff\x7f", "latin1")])] }),
      /header is too long/,
    ],
  ])("is refused: %s", (_, bytes, message) => {
    expect(() => readWavHeader(bytes)).toThrow(UnreadableAudioError);
    expect(() => readWavHeader(bytes)).toThrow(message);
  });
});

describe("The duration of samples", () => {
  it("is their number by their rate", () => {
    expect(wavDuration(speech, 48_000)).toBe(1);
    expect(wavDuration({ ...speech, channels: 2 }, 48_001)).toBe(0.5);
    expect(wavDuration({ ...speech, bitsPerSample: 12 }, 48_000)).toBe(1);
  });
});
