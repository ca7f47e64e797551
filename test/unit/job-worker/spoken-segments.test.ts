import { describe, expect, it } from "vitest";
import { encodeBurst } from "../../../functions/job-worker/speech/encode-burst.ts";
import {
  fitSpeech,
  gapSeconds,
  maxSpeed,
  trimSilence,
} from "../../../functions/job-worker/speech/fit-speech.ts";
import { readSpeech } from "../../../functions/job-worker/speech/read-speech.ts";
import { stretchTime } from "../../../functions/job-worker/speech/stretch-time.ts";
import { burstRate, joinBursts } from "../../../shared/audio/encode/join-bursts.ts";
import { readAll } from "../../support/read-all.ts";
import { decodeAudio, speechOfAudio, tone } from "../../support/test-audio.ts";

/** Something like a voice: a pitch with overtones, which changes slowly. */
const voice = (seconds: number, hertz = 130): Float32Array => {
  let phase = 0;
  return Float32Array.from({ length: Math.round(seconds * burstRate) }, (_, index) => {
    phase += (2 * Math.PI * hertz * (1 + 0.1 * Math.sin(index / burstRate))) / burstRate;
    return 0.3 * Math.sin(phase) + 0.15 * Math.sin(2 * phase) + 0.1 * Math.sin(5 * phase);
  });
};

/** The frequency of a tone, from its zero crossings. */
const hertzOf = (samples: Float32Array): number => {
  let crossings = 0;
  for (let index = 1; index < samples.length; index += 1) {
    if ((samples[index - 1] ?? 0) < 0 && (samples[index] ?? 0) >= 0) crossings += 1;
  }
  return crossings / (samples.length / burstRate);
};

const sine = (seconds: number, hertz: number): Float32Array =>
  Float32Array.from(
    { length: seconds * burstRate },
    (_, index) => 0.5 * Math.sin((2 * Math.PI * hertz * index) / burstRate),
  );

const loudness = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length));

const silence = (seconds: number): Float32Array => new Float32Array(Math.round(seconds * burstRate));

const joined = (...parts: readonly Float32Array[]): Float32Array =>
  Float32Array.from(parts.flatMap((part) => [...part]));

describe("faster speech", () => {
  it.each([1.05, 1.1, 1.25])("is %f times as short, to a sample, and has the same pitch", (speed) => {
    for (const hertz of [90, 200, 440]) {
      const spoken = sine(2, hertz);
      const faster = stretchTime(spoken, burstRate, speed);
      expect(faster).toHaveLength(Math.round(spoken.length / speed));
      expect(Math.abs(hertzOf(faster) - hertz)).toBeLessThan(hertz * 0.02);
      expect(loudness(faster)).toBeGreaterThan(loudness(spoken) * 0.95);
    }
  });

  it("has no clicks, and no gaps", () => {
    const faster = stretchTime(voice(3), burstRate, maxSpeed);
    const steps = faster.map((sample, index) => Math.abs(sample - (faster[index - 1] ?? sample)));
    const usual = voice(3).map((sample, index, all) => Math.abs(sample - (all[index - 1] ?? sample)));
    expect(Math.max(...steps)).toBeLessThan(Math.max(...usual) * 1.5);
    for (let at = 0; at + 480 < faster.length; at += 480) {
      expect(loudness(faster.subarray(at, at + 480))).toBeGreaterThan(0.1);
    }
  });

  it("keeps its order: what is said early stays early", () => {
    const spoken = joined(sine(1, 150), sine(1, 450));
    const faster = stretchTime(spoken, burstRate, maxSpeed);
    const half = Math.floor(faster.length / 2);
    expect(hertzOf(faster.subarray(0, half - 1_200))).toBeLessThan(170);
    expect(hertzOf(faster.subarray(half + 1_200))).toBeGreaterThan(430);
  });

  it("may be very short, silent or empty", () => {
    expect(stretchTime(new Float32Array(), burstRate, 1.2)).toHaveLength(0);
    expect(stretchTime(voice(0.01), burstRate, 1.2)).toHaveLength(200);
    expect(stretchTime(silence(1), burstRate, 1.2).every((sample) => sample === 0)).toBe(true);
  });
});

describe("speech in its slot", () => {
  it("loses the silence around it, but not its first consonant", () => {
    const spoken = joined(silence(0.4), voice(1), silence(0.7));
    expect(trimSilence(spoken, burstRate).length / burstRate).toBeCloseTo(1.04, 2);
    expect(trimSilence(silence(1), burstRate)).toHaveLength(0);
  });

  it("stays as it is when there is time", () => {
    const { samples, speed, fits } = fitSpeech(voice(1), burstRate, 2);
    expect([samples.length, speed, fits]).toEqual([burstRate, 1, true]);
  });

  it("is as much faster as it must be", () => {
    const { samples, speed, fits } = fitSpeech(voice(1.1), burstRate, 1 + gapSeconds);
    expect(speed).toBeCloseTo(1.1, 3);
    expect(fits).toBe(true);
    expect(samples.length).toBeLessThanOrEqual(burstRate);
  });

  it("is never more than a quarter faster: the rest fades out before the next slot", () => {
    const { samples, speed, fits } = fitSpeech(voice(2), burstRate, 1 + gapSeconds);
    expect([samples.length, speed, fits]).toEqual([burstRate, maxSpeed, false]);
    expect(Math.abs(samples.at(-1) ?? 1)).toBeLessThan(0.01);
  });

  it("is left out when the slot has no time", () => {
    for (const slot of [0, 0.01, gapSeconds]) {
      const { samples, fits } = fitSpeech(voice(1), burstRate, slot);
      expect([samples.length, fits]).toEqual([0, false]);
    }
    expect(fitSpeech(silence(1), burstRate, 0)).toMatchObject({ fits: true });
  });
});

describe("the speech of a model", () => {
  it("is read as samples, at another rate, and no more than is needed", async () => {
    const read = await readSpeech(
      speechOfAudio(tone(1, { sampleRate: 16_000 }), { sampleRate: 16_000 }),
      burstRate,
      10,
    );
    expect(read.length / burstRate).toBeCloseTo(1, 2);
    const speech = speechOfAudio(tone(2));
    expect(await readSpeech(speech, burstRate, 0.5)).toHaveLength(burstRate / 2);
  });
});

describe("bursts of speech", () => {
  const fileOf = async (...given: Parameters<typeof joinBursts>): Promise<Buffer> =>
    Buffer.concat(await readAll(joinBursts(...given)));

  const play = async (...given: Parameters<typeof joinBursts>) => {
    const { samples, sampleRate } = await decodeAudio("opus", await fileOf(...given));
    return { samples, seconds: samples.length / sampleRate, sampleRate };
  };

  /** The times in seconds at which it gets loud after a silence, and silent after that. */
  const heard = (samples: Float32Array, sampleRate: number): [number, number][] => {
    const size = sampleRate / 200;
    const spans: [number, number][] = [];
    for (let at = 0; at < samples.length; at += size) {
      if (loudness(samples.subarray(at, at + size)) < 0.02) continue;
      const last = spans.at(-1);
      if (last && at / sampleRate - last[1] < 0.03) last[1] = (at + size) / sampleRate;
      else spans.push([at / sampleRate, (at + size) / sampleRate]);
    }
    return spans;
  };

  it("begin and end at their times, anywhere between two packets, and the file is as long as the recording", async () => {
    const starts = [0, 1.0071, 2.5, 3.333_33, 7.919];
    const bursts = starts.map((start) => encodeBurst(voice(0.5), start));
    const { samples, seconds, sampleRate } = await play(bursts, 10.123);
    expect(seconds).toBeCloseTo(10.123, 3);
    const spans = heard(samples, sampleRate);
    expect(spans).toHaveLength(starts.length);
    for (const [index, [start, end]] of spans.entries()) {
      expect(Math.abs(start - (starts[index] ?? 0))).toBeLessThan(0.012);
      expect(Math.abs(end - (starts[index] ?? 0) - 0.5)).toBeLessThan(0.02);
    }
  });

  it("follow each other closely without touching", async () => {
    const starts = Array.from({ length: 20 }, (_, index) => index * 0.517);
    const bursts = starts.map((start) => encodeBurst(voice(0.517 - gapSeconds), start));
    const ends = bursts.map(({ frame, packets }) => frame + packets.length);
    for (const [index, { frame }] of bursts.entries())
      expect(frame).toBeGreaterThanOrEqual(ends[index - 1] ?? 0);
    const { samples, sampleRate } = await play(bursts, 12);
    const found = heard(samples, sampleRate).map(([start]) => start);
    expect(found).toHaveLength(20);
    for (const [index, start] of found.entries()) {
      expect(Math.abs(start - (starts[index] ?? 0))).toBeLessThan(0.02);
    }
  });

  it("that are silent or reach past the end change nothing", async () => {
    const bursts = [encodeBurst(new Float32Array(), 0.5), encodeBurst(voice(3), 1)];
    const { samples, seconds, sampleRate } = await play(bursts, 2);
    expect(seconds).toBeCloseTo(2, 3);
    expect(heard(samples, sampleRate)).toHaveLength(1);
    expect((await play([], 0.5)).seconds).toBeCloseTo(0.5, 3);
  });

  it("of an hour take little more than the speech itself", async () => {
    const quiet = await fileOf([], 3_600);
    expect(quiet.length).toBeLessThan(3_600 * 600);
  });
});
