/** Samples per second of all that the sample server speaks, as with the models it stands for. */
export const sampleRate = 24_000;

/**
 * Samples of one rate as samples of another, by straight lines between neighbours: good enough for speech on its
 * way up.
 */
export const resample = (samples: Int16Array, fromRate: number, toRate: number): Int16Array<ArrayBuffer> => {
  const resampled = new Int16Array(Math.round((samples.length * toRate) / fromRate));
  const step = fromRate / toRate;
  for (let index = 0; index < resampled.length; index += 1) {
    const position = index * step;
    const before = Math.floor(position);
    const left = samples[before] ?? 0;
    const right = samples[before + 1] ?? left;
    resampled[index] = Math.round(left + (right - left) * (position - before));
  }
  return resampled;
};
