import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnreadableAudioError } from "../../../shared/audio/audio-errors.ts";
import { readWavHeader, type SampleFormat, wavDuration, writeWavHeader } from "../../../shared/audio/wav.ts";
import { joinWavStreams, openWavStream } from "../../../shared/audio/wav-streams.ts";
import { listChunk, makeWav } from "../../fixtures/audio/make-wav.ts";
import { collect, fixture } from "../../fixtures/audio/sources.ts";

const speech: SampleFormat = { encoding: "pcm", sampleRate: 24_000, channels: 1, bitsPerSample: 16 };

const counted = (length: number, first = 0): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, index) => (first + index) % 256));

/** The bytes in pieces of these sizes, again and again. */
async function* pieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array, void> {
  for (let offset = 0, turn = 0; offset < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(offset, offset + size);
    offset += size;
  }
}

describe("A WAV header", () => {
  it("that is written is read back", () => {
    expect(readWavHeader(writeWavHeader(speech, 48_000))).toEqual({
      format: speech,
      dataStart: 44,
      dataBytes: 48_000,
    });
    for (const encoding of ["float", "alaw", "mulaw"] as const) {
      const format = { ...speech, encoding, bitsPerSample: encoding === "float" ? 32 : 8, channels: 2 };
      expect(readWavHeader(writeWavHeader(format, 8_000))?.format).toEqual(format);
    }
  });

  it("is byte for byte the one that everybody writes", () => {
    const data = counted(480);
    expect(
      Buffer.concat([writeWavHeader({ ...speech, sampleRate: 16_000 }, 480), data]).equals(makeWav({ data })),
    ).toBe(true);
  });

  it("of a stream says that the length is unknown", () => {
    const header = Buffer.from(writeWavHeader(speech));
    expect(header.readUInt32LE(4)).toBe(0xffffffff);
    expect(header.readUInt32LE(40)).toBe(0xffffffff);
    expect(readWavHeader(header)).toEqual({ format: speech, dataStart: 44, dataBytes: undefined });
  });

  it("is waited for while it is not complete", () => {
    const wav = makeWav({ chunksBefore: [listChunk] });
    const length = readWavHeader(wav)?.dataStart ?? 0;
    expect(length).toBe(44 + listChunk.length);
    for (let end = 0; end < length; end += 1) expect(readWavHeader(wav.subarray(0, end))).toBeUndefined();
  });

  it.each([
    ["no WAV", Buffer.from("<html>The model is loading</html>")],
    ["a compressed encoding", fixture("tone-adpcm.wav")],
    [
      "a chunk larger than any header",
      makeWav({ chunksBefore: [Buffer.concat([Buffer.from("LIST\xff\xff\xff\x7f", "latin1")])] }),
    ],
  ])("is refused: %s", (_, bytes) => {
    expect(() => readWavHeader(bytes)).toThrow(UnreadableAudioError);
  });
});

describe("The duration of samples", () => {
  it("is their number by their rate", () => {
    expect(wavDuration(speech, 48_000)).toBe(1);
    expect(wavDuration({ ...speech, channels: 2 }, 48_001)).toBe(0.5);
  });
});

describe("A WAV stream", () => {
  it("gives its samples alone, in whole samples, however it is cut into pieces", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 600 }),
        fc.array(fc.integer({ min: 1, max: 97 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom("known", "unknown", "rf64"),
        async (samples, sizes, announced) => {
          const data = counted(samples * 4);
          const wav = makeWav({ channels: 2, data, sizes: announced, chunksBefore: [listChunk] });
          const withTail = announced === "unknown" ? wav : Buffer.concat([wav, listChunk]);
          const stream = await openWavStream(pieces(withTail, sizes));
          const parts: Uint8Array[] = [];
          for await (const part of stream.samples) {
            expect(part.length % 4).toBe(0);
            parts.push(part);
          }
          expect(Buffer.concat(parts).equals(data)).toBe(true);
        },
      ),
      { numRuns: 150, seed: 1 },
    );
  });

  it("drops half a sample at its end, which would turn what follows into noise", async () => {
    const stream = await openWavStream(pieces(makeWav({ sizes: "unknown" }).subarray(0, 44 + 101), [50]));
    expect(await collect(stream.samples)).toHaveLength(100);
  });

  it("that ends within its header is refused", async () => {
    await expect(openWavStream(pieces(makeWav().subarray(0, 40), [7]))).rejects.toThrow(
      /ended before its sound/,
    );
  });

  it("is closed when it is refused, and when it is left", async () => {
    const closed: string[] = [];
    async function* closing(name: string, bytes: Buffer): AsyncGenerator<Uint8Array, void> {
      try {
        yield* pieces(bytes, [64]);
      } finally {
        closed.push(name);
      }
    }
    await expect(openWavStream(closing("refused", Buffer.alloc(500)))).rejects.toThrow(UnreadableAudioError);
    const { samples } = await openWavStream(closing("left", makeWav()));
    for await (const _ of samples) break;
    expect(closed).toEqual(["refused", "left"]);
  });
});

describe("Several WAV streams joined", () => {
  const part = (first: number, options = {}) =>
    pieces(makeWav({ data: counted(1_000, first), ...options }), [333]);

  it("are one stream with all their samples and one header", async () => {
    const whole = await collect(
      joinWavStreams([
        part(0),
        part(7, { chunksBefore: [listChunk] }),
        part(9, { chunksAfter: [listChunk] }),
      ]),
    );
    const header = readWavHeader(whole);
    expect(header).toMatchObject({ dataStart: 44, dataBytes: undefined });
    expect(
      whole.subarray(44).equals(Buffer.concat([counted(1_000), counted(1_000, 7), counted(1_000, 9)])),
    ).toBe(true);
    expect(header && wavDuration(header.format, whole.length - 44)).toBe(1_500 / 16_000);
  });

  it.each([{ sampleRate: 22_050 }, { channels: 2 }, { bits: 32, formatTag: 3 }])(
    "must be of one format: %o",
    async (options) => {
      await expect(collect(joinWavStreams([part(0), part(0, options)]))).rejects.toThrow(
        /differ in their sample format/,
      );
    },
  );
});
