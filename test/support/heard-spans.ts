/** Loudness is measured over five milliseconds. */
const windowsPerSecond = 200;

/** Louder than what a codec makes of silence. */
const threshold = 0.02;

/** Silence inside a word is shorter. */
const pauseSeconds = 0.05;

/** Returns when a recording is heard: the start and end of each span between silences, in seconds. */
export const heardSpans = (
  samples: Float32Array,
  sampleRate: number,
  pause = pauseSeconds,
): (readonly [start: number, end: number])[] => {
  const size = sampleRate / windowsPerSecond;
  const spans: [number, number][] = [];
  for (let at = 0; at < samples.length; at += size) {
    let energy = 0;
    for (const sample of samples.subarray(at, at + size)) energy += sample * sample;
    if (Math.sqrt(energy / size) < threshold) continue;
    const last = spans.at(-1);
    if (last && at / sampleRate - last[1] < pause) last[1] = (at + size) / sampleRate;
    else spans.push([at / sampleRate, (at + size) / sampleRate]);
  }
  return spans;
};
