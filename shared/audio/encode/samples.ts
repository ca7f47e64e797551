import { bytesPerSample, type SampleFormat } from "../wav/wav-structure.ts";

/** Encodes samples of one channel from -1 to 1, and returns the finished bytes, if any. */
export interface SampleEncoder {
  encode(samples: Float32Array): Uint8Array;
  finish(): Uint8Array;
  /** The start of the file with what is known at its end, to replace the first bytes. */
  start?(): Uint8Array | undefined;
  /** Frees what the encoder holds outside of JavaScript's memory. */
  close(): void;
}

type ReadSample = (bytes: DataView, offset: number) => number;

/** Clips what is beyond full scale, and silences what is not a number: an encoder may break at either. */
const bounded = (sample: number): number => (Number.isFinite(sample) ? Math.max(-1, Math.min(1, sample)) : 0);

/** Reads a sample, by encoding and bytes. Samples of 12 or 20 bits use the upper bits. */
const readSample: Readonly<Record<string, ReadSample>> = {
  pcm1: (bytes, offset) => (bytes.getUint8(offset) - 128) / 128,
  pcm2: (bytes, offset) => bytes.getInt16(offset, true) / 32_768,
  pcm3: (bytes, offset) => (bytes.getUint16(offset, true) + bytes.getInt8(offset + 2) * 65_536) / 8_388_608,
  pcm4: (bytes, offset) => bytes.getInt32(offset, true) / 2_147_483_648,
  float4: (bytes, offset) => bounded(bytes.getFloat32(offset, true)),
  float8: (bytes, offset) => bounded(bytes.getFloat64(offset, true)),
};

/**
 * Reads audio piece by piece, cut anywhere, as samples from -1 to 1: of several channels their mean.
 * @returns `undefined` for unsupported sample formats.
 */
export const createSampleReader = (
  format: SampleFormat,
): ((piece: Uint8Array) => Float32Array) | undefined => {
  const { channels } = format;
  const sampleBytes = bytesPerSample(format);
  const read = readSample[`${format.encoding}${sampleBytes}`];
  if (!read) return undefined;
  const blockBytes = sampleBytes * channels;
  let rest = new Uint8Array();
  return (piece) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
    const samples = new Float32Array(Math.floor(bytes.length / blockBytes));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let index = 0; index < samples.length; index += 1) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel += 1) {
        sum += read(view, index * blockBytes + channel * sampleBytes);
      }
      samples[index] = sum / channels;
    }
    rest = bytes.slice(samples.length * blockBytes);
    return samples;
  };
};

/** Samples from -1 to 1 as 16 bits, little endian like every processor that this runs on. */
export const toSixteenBits = (samples: Float32Array): Buffer => {
  const values = new Int16Array(samples.length);
  for (const [index, sample] of samples.entries()) {
    values[index] = Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
  }
  return Buffer.from(values.buffer);
};

/** Converts samples to another rate as they arrive. */
export interface Resampler {
  add(samples: Float32Array): Float32Array;
  /** The rest once the last samples have been added. */
  finish(): Float32Array;
}

const greatestCommonDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestCommonDivisor(other, one % other);

/** How many zero crossings of the filter are on either side of its middle. */
const zeroCrossings = 24;

/** The share of the band up to half the lower rate that passes; the filter falls off in the rest. */
const passedShare = 0.92;

/** The resolution between two samples; at the usual rates every position is exact. */
const maxPositions = 1_024;

/** The windowed sinc: an ideal filter, limited by a Blackman-Harris window (92 dB). */
const filterAt = (crossings: number): number => {
  if (Math.abs(crossings) >= zeroCrossings) return 0;
  const angle = (Math.PI * crossings) / zeroCrossings;
  const window =
    0.35875 + 0.48829 * Math.cos(angle) + 0.14128 * Math.cos(2 * angle) + 0.01168 * Math.cos(3 * angle);
  const phase = Math.PI * crossings;
  return window * (phase === 0 ? 1 : Math.sin(phase) / phase);
};

/**
 * The weights of the samples around a position, from `reach - 1` before it to `reach` after it.
 * @param scale zero crossings of the filter per sample. @param positions how many there are between two samples.
 */
const weightsFor = (
  scale: number,
  reach: number,
  positions: number,
): ((position: number) => Float32Array) => {
  const known = new Map<number, Float32Array>();
  const weightsAt = (position: number): Float32Array => {
    const weights = Float32Array.from({ length: 2 * reach }, (_, index) =>
      filterAt((index - reach + 1 - position / positions) * scale),
    );
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  };
  return (position) => {
    const weights = known.get(position) ?? weightsAt(position);
    known.set(position, weights);
    return weights;
  };
};

const weigh = (weights: Float32Array, samples: Float32Array, start: number): number => {
  let sum = 0;
  for (let index = 0; index < weights.length; index += 1) {
    sum += (weights[index] ?? 0) * (samples[start + index] ?? 0);
  }
  return sum;
};

/**
 * Changes the rate by whole numbers, so an hour of audio keeps its length. Each new sample is the sum of the old
 * ones around it, weighted by a low-pass filter for the lower rate. @param fromRate in hertz, as `toRate`; both
 * whole.
 */
export const createResampler = (fromRate: number, toRate: number): Resampler => {
  const divisor = greatestCommonDivisor(fromRate, toRate);
  const [up, down] = [toRate / divisor, fromRate / divisor];
  const scale = Math.min(1, toRate / fromRate) * passedShare;
  const reach = Math.ceil(zeroCrossings / scale);
  const positions = Math.min(up, maxPositions);
  const weightsAt = weightsFor(scale, reach, positions);

  // Before the first sample there is silence. The next new sample is `part / up` after the sample at `position`.
  let held = new Float32Array(reach - 1);
  let position = reach - 1;
  let part = 0;

  const convert = (samples: Float32Array, end: number): Float32Array => {
    const joined = new Float32Array(held.length + samples.length);
    joined.set(held);
    joined.set(samples, held.length);
    const output: number[] = [];
    while (position < end && position + reach < joined.length) {
      output.push(weigh(weightsAt(Math.floor((part / up) * positions)), joined, position - reach + 1));
      part += down;
      position += Math.floor(part / up);
      part %= up;
    }
    const from = Math.min(position - reach + 1, joined.length);
    held = joined.slice(from);
    position -= from;
    return Float32Array.from(output);
  };

  return {
    add: (samples) => convert(samples, Number.POSITIVE_INFINITY),
    // Silence follows, which contains no new sample.
    finish: () => convert(new Float32Array(reach + 1), held.length),
  };
};
