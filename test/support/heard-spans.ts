import { OggOpusDecoder } from "ogg-opus-decoder";

/** Loudness is measured over five milliseconds. */
const windowsPerSecond = 200;

/** Louder than what a codec makes of silence. */
const usualThreshold = 0.02;

/** Silence inside a word is shorter. */
const pauseSeconds = 0.05;

type Span = readonly [start: number, end: number];

/** Measures the loudness of audio that comes in pieces. */
class LoudnessMeter {
  readonly #size: number;
  readonly windows: number[] = [];
  #energy = 0;
  #count = 0;

  constructor(sampleRate: number) {
    this.#size = sampleRate / windowsPerSecond;
  }

  add(samples: Float32Array): void {
    for (const sample of samples) {
      this.#energy += sample * sample;
      this.#count += 1;
      if (this.#count < this.#size) continue;
      this.windows.push(Math.sqrt(this.#energy / this.#size));
      this.#energy = 0;
      this.#count = 0;
    }
  }
}

const spansOf = (windows: readonly number[], threshold: number, pause: number): Span[] => {
  const spans: [number, number][] = [];
  for (const [index, loudness] of windows.entries()) {
    if (loudness < threshold) continue;
    const [start, end] = [index / windowsPerSecond, (index + 1) / windowsPerSecond];
    const last = spans.at(-1);
    if (last && start - last[1] < pause) last[1] = end;
    else spans.push([start, end]);
  }
  return spans;
};

/** Returns when a recording is heard: the start and end of each span between silences, in seconds. */
export const heardSpans = (samples: Float32Array, sampleRate: number, pause = pauseSeconds): Span[] => {
  const meter = new LoudnessMeter(sampleRate);
  meter.add(samples);
  return spansOf(meter.windows, usualThreshold, pause);
};

const chunkBytes = 65_536;

/** The same for a long Ogg Opus file, which is decoded piece by piece. @returns its length too, in seconds. */
export const heardInOpus = async (
  file: Uint8Array,
  { threshold = usualThreshold, pause = pauseSeconds } = {},
): Promise<{ readonly spans: Span[]; readonly seconds: number }> => {
  const decoder = new OggOpusDecoder();
  await decoder.ready;
  const meter = new LoudnessMeter(48_000);
  let samples = 0;
  const add = ({ channelData, samplesDecoded, errors }: Awaited<ReturnType<typeof decoder.decode>>): void => {
    if (errors.length > 0) throw new Error(`The decoder found errors: ${JSON.stringify(errors)}`);
    samples += samplesDecoded;
    if (channelData[0]) meter.add(channelData[0]);
  };
  for (let start = 0; start < file.length; start += chunkBytes) {
    add(await decoder.decode(file.subarray(start, start + chunkBytes)));
  }
  add(await decoder.flush());
  decoder.free();
  return { spans: spansOf(meter.windows, threshold, pause), seconds: samples / 48_000 };
};
