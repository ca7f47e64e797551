import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AudioFormat } from "../../../shared/audio/encode/audio-formats.ts";
import { encodeAudio } from "../../../shared/audio/encode/encode-audio.ts";
import { createResampler, createSampleReader } from "../../../shared/audio/encode/samples.ts";
import { bufferSource, inspectAudio } from "../../../shared/audio/read-audio.ts";
import type { Speech } from "../../../shared/audio/wav/streamed-wav.ts";
import type { SampleFormat } from "../../../shared/audio/wav/wav-header.ts";
import { decodeAudio, loudness, pitch, speechOfAudio, tone } from "../../support/test-audio.ts";

const encoded = ["mp3", "opus", "pcm"] as const;
const rates = [8_000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000];

const encode = async (format: AudioFormat, speech: Speech) => {
  const audio = await encodeAudio(format, speech);
  const file = await buffer(audio.pieces);
  return { ...audio, file, end: audio.end() };
};

/** A stream of MP3 begins with what its encoder and some decoders need to get going, and its last frame is filled up. */
const maxLead = { mp3: 0.15, opus: 0.0001, pcm: 0.0001 } as const;

/** A file whose start is replaced when all of it is known. */
const stored = ({
  file,
  end,
}: {
  readonly file: Buffer;
  readonly end: { readonly start: Uint8Array };
}): Buffer => Buffer.concat([end.start, file.subarray(end.start.length)]);

describe("speech in another format", () => {
  it.each(encoded.flatMap((format) => rates.map((sampleRate) => ({ format, sampleRate }))))(
    "is as long, as loud and as high as it was: $format of audio at $sampleRate Hz",
    async ({ format, sampleRate }) => {
      const source = tone(1.5, { sampleRate });
      const { file, end, sampleRate: reported } = await encode(format, speechOfAudio(source, { sampleRate }));
      const decoded = await decodeAudio(format, file);
      const seconds = decoded.samples.length / decoded.sampleRate;
      expect(seconds).toBeGreaterThan(1.5 - 0.0001);
      expect(seconds).toBeLessThan(1.5 + maxLead[format]);
      expect(end.seconds).toBe(1.5);
      // Half of full scale; LAME takes 5% off, so that nothing is cut.
      expect(loudness(decoded)).toBeGreaterThan(0.9 * 0.3535);
      expect(loudness(decoded)).toBeLessThan(1.03 * 0.3535);
      expect(Math.abs(pitch(decoded) - 440)).toBeLessThan(4);
      // Opus plays at 48 kHz, for any input.
      if (format !== "opus") expect(decoded.sampleRate).toBe(reported);
    },
  );

  it.each([
    ["mp3", "audio/mpeg", "mp3"],
    ["opus", "audio/ogg; codecs=opus", "ogg"],
    ["pcm", "audio/pcm", "pcm"],
    ["wav", "audio/wav", "wav"],
  ] as const)("is announced for what it is: %s", async (format, contentType, fileExtension) => {
    expect(await encode(format, speechOfAudio(tone(0.1)))).toMatchObject({
      contentType,
      fileExtension,
      sampleRate: 24_000,
    });
  });

  it("is sent unchanged from the model's server in WAV, for any samples", async () => {
    const audio = Buffer.from([1, 2, 3, 4, 5]);
    const { file } = await encode("wav", speechOfAudio(audio, { encoding: "mulaw", bitsPerSample: 8 }));
    expect(file.subarray(44)).toEqual(audio);
  });

  it.each([
    ["8 bits", { bitsPerSample: 8 }, [0, 128, 255], [-1, 0, 0.9922]],
    ["24 bits", { bitsPerSample: 24 }, [0, 0, 0x80, 0, 0, 0x40], [-1, 0.5]],
    ["20 bits, which take 24", { bitsPerSample: 20 }, [0, 0, 0xc0], [-0.5]],
    ["32 bits", { bitsPerSample: 32 }, [0, 0, 0, 0x40], [0.5]],
    ["two channels, which are mixed", { channels: 2 }, [0, 0x40, 0, 0, 0, 0xc0, 0, 0x40], [0.25, 0]],
  ] as const)("is read from samples of %s", async (_case, format, bytes, expected) => {
    const { file } = await encode("pcm", speechOfAudio(Buffer.from(bytes), format));
    const { samples } = await decodeAudio("pcm", file);
    expect([...samples].map((sample) => Math.round(sample * 1e4) / 1e4)).toEqual(expected);
  });

  it("is read from floating-point samples, of which those beyond full scale are cut, and no numbers are silence", async () => {
    const values = [0.5, 3, -3, Number.NaN, Number.POSITIVE_INFINITY];
    const [single, double] = [Float32Array.from(values), Float64Array.from(values)];
    for (const [bits, array] of [
      [32, single],
      [64, double],
    ] as const) {
      const format = { encoding: "float", bitsPerSample: bits } as const;
      const { file } = await encode("pcm", speechOfAudio(Buffer.from(array.buffer), format));
      const { samples } = await decodeAudio("pcm", file);
      expect([...samples]).toEqual([0.5, 32_767 / 32_768, -1, 0, 0]);
    }
  });

  it.each(encoded)("ends where its audio does, with anything after it: %s", async (format) => {
    const audio = tone(0.5);
    const behind = Buffer.concat([audio, Buffer.from("LIST\x08\0\0\0ICMTtext")]);
    const { file, end } = await encode(format, speechOfAudio(behind, {}, { audioBytes: audio.length }));
    const alone = await encode(format, speechOfAudio(audio));
    expect(end.seconds).toBe(0.5);
    // Ogg streams have numbers of their own, and no two are the same.
    expect(file.length).toBe(alone.file.length);
  });

  it.each(encoded)("breaks off when the model's server does, and has no end then: %s", async (format) => {
    const failure = new Error("The server broke off.");
    const speech = speechOfAudio(tone(1), {}, { failure });
    const { pieces } = await encodeAudio(format, speech);
    const received: Uint8Array[] = [];
    const read = async () => {
      for await (const piece of pieces) received.push(piece);
    };
    await expect(read()).rejects.toBe(failure);
    expect(speech.cancel).toHaveBeenCalledOnce();
    expect(received.length).toBeGreaterThan(0);
    // The flag of the last page.
    if (format === "opus") expect(received.some((page) => page[5] === 4)).toBe(false);
  });

  it.each(["wav", ...encoded] as const)("stops when its reader leaves: %s", async (format) => {
    const speech = speechOfAudio(tone(1));
    const audio = await encodeAudio(format, speech);
    for await (const _piece of audio.pieces) break;
    expect(speech.cancel).toHaveBeenCalledOnce();
    expect(audio.end().seconds).toBeLessThan(1);
  });

  it.each(["mulaw", "alaw"] as const)("is refused for samples that no model has: %s", async (encoding) => {
    const speech = speechOfAudio(tone(1), { encoding, bitsPerSample: 8 });
    await expect(encodeAudio("mp3", speech)).rejects.toMatchObject({ code: "external_service_error" });
    expect(speech.cancel).toHaveBeenCalledOnce();
  });

  it.each(["mp3", "opus"] as const)(
    "can be encoded many times at once, each like alone: %s",
    async (format) => {
      const one = () => encode(format, speechOfAudio(tone(0.4)));
      const other = () =>
        encode(format, speechOfAudio(tone(0.7, { hertz: 700, sampleRate: 16_000 }), { sampleRate: 16_000 }));
      const lengths = async (output: ReturnType<typeof one>[]) =>
        (await Promise.all(output)).map(({ file }) => file.length);
      const alone = [...(await lengths([one()])), ...(await lengths([other()]))];
      expect(await lengths([one(), other(), one(), other()])).toEqual([...alone, ...alone]);
    },
  );

  it.each([
    { format: "mp3", bytesPerSecond: 6_000 },
    { format: "opus", bytesPerSecond: 3_300 },
  ] as const)("costs little data: $format", async ({ format, bytesPerSecond }) => {
    const { file } = await encode(format, speechOfAudio(tone(3)));
    expect(file.length).toBeLessThan(3.1 * bytesPerSecond);
  });
});

/** Speech of which a second comes, in tenths, and then no more until the rest is requested. */
const stallingSpeech = (sampleRate: number) => {
  const requested = Promise.withResolvers<undefined>();
  const second = tone(1, { sampleRate });
  const speech: Speech = {
    ...speechOfAudio(second, { sampleRate }),
    audio: (async function* () {
      for (let tenth = 0; tenth < 10; tenth += 1) {
        yield second.subarray((second.length / 10) * tenth, (second.length / 10) * (tenth + 1));
      }
      requested.resolve(undefined);
      await new Promise(() => undefined);
    })(),
  };
  return { speech, requested: requested.promise };
};

describe("speech that is still being made", () => {
  it.each(["wav", ...encoded] as const)("can be heard before its second second comes: %s", async (format) => {
    const { speech, requested } = stallingSpeech(22_050);
    const iterator = (await encodeAudio(format, speech)).pieces[Symbol.asyncIterator]();
    const received: Uint8Array[] = [];
    for (;;) {
      const next = await Promise.race([iterator.next(), requested]);
      if (!next || next.done) break;
      received.push(next.value);
    }
    const { samples, sampleRate } = await decodeAudio(format, Buffer.concat(received));
    expect(samples.length / sampleRate).toBeGreaterThan(0.15);
  });
});

describe("a WAV header that is sent before the audio", () => {
  it("can be replaced by a true one at the end", async () => {
    const { end } = await encode("wav", speechOfAudio(tone(0.1)));
    expect(Buffer.from(end.start).readUInt32LE(40)).toBe(4_800);
    expect((await encode("opus", speechOfAudio(tone(0.1)))).end.start).toHaveLength(0);
  });
});

describe("MP3 that is stored", () => {
  it.each(rates)("plays exactly as long as its speech, from its first sample: %i Hz", async (sampleRate) => {
    for (const seconds of [0.01, 0.5, 1.5, 3.21]) {
      const source = tone(seconds, { sampleRate });
      const encoding = await encode("mp3", speechOfAudio(source, { sampleRate }));
      const { samples, sampleRate: decodedRate } = await decodeAudio("mp3", stored(encoding));
      expect(Math.abs(samples.length / decodedRate - seconds)).toBeLessThan(0.001);
      const { durationSeconds } = await inspectAudio(bufferSource(stored(encoding)));
      expect(Math.abs(durationSeconds - encoding.end.seconds)).toBeLessThan(0.001);
    }
  });

  it("joins others without a gap", async () => {
    const whole = tone(2);
    const files = await Promise.all(
      [whole.subarray(0, 48_000), whole.subarray(48_000)].map(async (half) =>
        decodeAudio("mp3", stored(await encode("mp3", speechOfAudio(half)))),
      ),
    );
    const samples = Float32Array.from(files.flatMap((file) => [...file.samples]));
    expect(samples.length).toBe(48_000);
    const around = samples.subarray(24_000 - 480, 24_000 + 480);
    const power = around.reduce((sum, sample) => sum + sample * sample, 0) / around.length;
    expect(Math.sqrt(power)).toBeGreaterThan(0.8 * 0.3535);
  });

  it("in a stream starts with its first sample, before its end is known", async () => {
    const { file } = await encode("mp3", speechOfAudio(tone(1.5)));
    const facts = await inspectAudio(bufferSource(file));
    expect(facts.durationSeconds).toBeGreaterThanOrEqual(1.5);
    expect(facts.durationSeconds).toBeLessThan(1.5 + 2 * (576 / 24_000));
  });
});

describe("audio at another rate", () => {
  const sine = (samples: number, hertz: number, sampleRate: number) =>
    Float32Array.from({ length: samples }, (_, index) =>
      Math.sin((2 * Math.PI * hertz * index) / sampleRate),
    );

  it.each([
    [22_050, 24_000, 100],
    [44_100, 24_000, 100],
    [48_000, 24_000, 100],
    [16_000, 24_000, 100],
    [8_000, 24_000, 100],
    [96_000, 24_000, 100],
    // Unusual rates, at which positions between samples are less exact.
    [22_051, 24_000, 70],
    [23_999, 24_000, 70],
    [191_999, 24_000, 70],
  ])("is the same audio: from %i to %i Hz, %i dB above the difference", (from, to, decibels) => {
    const resampler = createResampler(from, to);
    const source = sine(from, 1_000, from);
    const output = [
      ...resampler.add(source.subarray(0, 7)),
      ...resampler.add(source.subarray(7)),
      ...resampler.finish(),
    ];
    const expected = sine(to, 1_000, to);
    // Before the first sample and behind the last there is silence, into which the filter reaches.
    const middle = [...expected.keys()].slice(1_000, -1_000);
    const power = middle.reduce((sum, index) => sum + (expected[index] ?? 0) ** 2, 0);
    const error = middle.reduce(
      (sum, index) => sum + ((output[index] ?? 0) - (expected[index] ?? 0)) ** 2,
      0,
    );
    expect(10 * Math.log10(power / error)).toBeGreaterThan(decibels);
  });

  it("loses what the lower rate cannot tell from something else", () => {
    const resampler = createResampler(48_000, 16_000);
    const output = [...resampler.add(sine(48_000, 11_000, 48_000)), ...resampler.finish()];
    expect(Math.max(...output.slice(500, -500))).toBeLessThan(0.001);
  });

  it("is as long as it was and does not depend on where it is cut, at any rate", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 768_000 }),
        fc.constantFrom(16_000, 24_000),
        fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 8 }),
        (from, to, cuts) => {
          const total = cuts.reduce((sum, cut) => sum + cut, 0);
          const source = sine(total, 300, from);
          const whole = createResampler(from, to);
          const atOnce = [...whole.add(source), ...whole.finish()];
          const parts = createResampler(from, to);
          let start = 0;
          const inPieces = cuts.flatMap((cut) => {
            start += cut;
            return [...parts.add(source.subarray(start - cut, start))];
          });
          inPieces.push(...parts.finish());
          expect(inPieces).toEqual(atOnce);
          expect(atOnce).toHaveLength(Math.ceil((total * to) / from));
        },
      ),
      { numRuns: 40 },
    );
  });

  it("is read alike wherever its bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom<Pick<SampleFormat, "channels" | "bitsPerSample">>(
          { channels: 1, bitsPerSample: 16 },
          { channels: 3, bitsPerSample: 24 },
        ),
        fc.nat({ max: 60 }),
        (bytes, kind, cut) => {
          const format = { encoding: "pcm", sampleRate: 24_000, ...kind } as const;
          const whole = createSampleReader(format)?.(bytes) ?? [];
          const read = createSampleReader(format);
          const parts = [bytes.subarray(0, cut), bytes.subarray(cut)].flatMap((part) => [
            ...(read?.(part) ?? []),
          ]);
          expect(parts).toEqual([...whole]);
          expect(parts).toHaveLength(Math.floor(bytes.length / ((kind.channels * kind.bitsPerSample) / 8)));
        },
      ),
    );
  });
});
