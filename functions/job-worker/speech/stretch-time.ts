/** Frames of this length are overlapped by half. Shorter ones miss the pitch of low voices; longer ones repeat sounds audibly. */
const frameSeconds = 0.03;

/** How far from its regular position a frame may start, to be in phase with the frame before it: a period of a low voice. */
const searchSeconds = 0.0075;

/** The cross-correlation is computed from every second sample: voices have little above 6 kHz. */
const correlationStep = 2;

/** Half a Hann window and its mirror image, whose sum is 1. */
const fadeIn = (length: number): Float32Array =>
  Float32Array.from({ length }, (_, index) => 0.5 - 0.5 * Math.cos((Math.PI * (index + 0.5)) / length));

/** How alike two ranges are, from -1 to 1. */
const likeness = (samples: Float32Array, one: number, other: number, length: number): number => {
  let [product, energy, otherEnergy] = [0, 1e-9, 1e-9];
  for (let index = 0; index < length; index += correlationStep) {
    const [left, right] = [samples[one + index] ?? 0, samples[other + index] ?? 0];
    product += left * right;
    energy += left * left;
    otherEnergy += right * right;
  }
  return product / Math.sqrt(energy * otherEnergy);
};

/** Returns where the frame starts that continues the previous one best, near its regular position. */
const bestStart = (
  samples: Float32Array,
  {
    regular,
    continuation,
    hop,
    reach,
  }: Readonly<Record<"continuation" | "hop" | "reach" | "regular", number>>,
): number => {
  const last = samples.length - 2 * hop;
  let [best, highest] = [Math.max(0, Math.min(regular, last)), Number.NEGATIVE_INFINITY];
  for (let start = Math.max(0, regular - reach); start <= Math.min(last, regular + reach); start += 1) {
    const found = likeness(samples, continuation, start, hop);
    if (found > highest) [best, highest] = [start, found];
  }
  return best;
};

/**
 * Makes speech faster without changing its pitch: WSOLA (Verhelst and Roelands, 1993). Frames of the speech are overlapped at
 * regular distances; each is taken from where it continues the one before it best.
 *
 * @param samples of one channel.
 * @param speed above 1. Twice the speed is intelligible, more is not.
 * @returns the samples, fewer by the speed.
 */
export const stretchTime = (samples: Float32Array, sampleRate: number, speed: number): Float32Array => {
  const length = Math.round(samples.length / speed);
  const hop = Math.round((frameSeconds / 2) * sampleRate);
  // What is shorter than a few frames has no pitch to keep.
  if (speed <= 1 || samples.length < 6 * hop) return samples.slice(0, length);
  const reach = Math.round(searchSeconds * sampleRate);
  const rising = fadeIn(hop);
  const output = new Float32Array(length);
  output.set(samples.subarray(0, hop));
  let continuation = hop;
  for (let position = hop; position < length; position += hop) {
    const regular = Math.round(position * speed);
    const start = bestStart(samples, { regular, continuation, hop, reach });
    for (let index = 0; index < hop && position + index < length; index += 1) {
      const weight = rising[index] ?? 1;
      const [before, after] = [samples[continuation + index] ?? 0, samples[start + index] ?? 0];
      output[position + index] = (1 - weight) * before + weight * after;
    }
    continuation = start + hop;
  }
  return output;
};
