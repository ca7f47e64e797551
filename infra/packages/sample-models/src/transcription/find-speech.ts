import type { Span } from "./recording.ts";

/** Nothing below this is speech (-46 dB of full scale): the noise of a quiet room. */
const quietest = 164;

/** Pauses up to this long belong to the sentence they are in. */
const longestBreath = 0.25;

/** What is shorter is a click. */
const shortestSpeech = 0.1;

/**
 * Finds where somebody speaks: where it is clearly louder than in the quiet parts of the recording.
 *
 * @param levels loudness of the windows, one after the other; 0 to 32,768
 * @param windowSeconds the length of a window
 */
export function findSpeech(levels: readonly number[], windowSeconds: number): Span[] {
  const threshold = thresholdFor(levels);
  const spans: { start: number; end: number }[] = [];
  levels.forEach((level, index) => {
    if (level < threshold) return;
    const start = index * windowSeconds;
    const last = spans.at(-1);
    if (last && start - last.end <= longestBreath) last.end = start + windowSeconds;
    else spans.push({ start, end: start + windowSeconds });
  });
  return spans.filter(({ start, end }) => end - start >= shortestSpeech);
}

/** Above the noise of the recording, but never so high that an even sound from beginning to end were silence. */
function thresholdFor(levels: readonly number[]): number {
  const sorted = Float64Array.from(levels).sort();
  const levelAt = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return Math.max(quietest, Math.min(levelAt(0.1) * 2.5, levelAt(0.95) / 4));
}
