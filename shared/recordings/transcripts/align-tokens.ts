import type { Token } from "./tokens.ts";

/** A word that both lists contain: its index in each. */
export interface Match {
  readonly before: number;
  readonly after: number;
}

export interface Alignment {
  readonly matches: readonly Match[];
  /** Grows with matching words and falls with differing ones. */
  readonly score: number;
}

/** The cost of a word that differs or is in one list only. */
const difference = 0.7;

/** The bonus for agreeing times, which makes the right ones of repeated words match. */
const agreement = 0.5;

const scoreOf = (one: Token, other: Token): number => {
  if (one.key !== other.key) return -difference;
  const slack = one.slack + other.slack;
  if (!Number.isFinite(slack)) return 1;
  const apart = Math.abs((one.start + one.end - other.start - other.end) / 2);
  return apart > slack ? -difference : 1 + agreement * (1 - apart / slack);
};

/** How a cell of the table was reached: by a word of both lists, or of one; 0 where a sequence starts. */
const ofBoth = 1;
const ofBefore = 2;

/**
 * Finds the best common sequence of words at the end of one list and the start of the other.
 *
 * @param isAnchored whether the sequence must reach the end of the first list and the start of the second. Without exact times,
 * a single word that both contain proves nothing.
 */
export const alignTokens = (
  before: readonly Token[],
  after: readonly Token[],
  isAnchored: boolean,
): Alignment => {
  const width = after.length + 1;
  const scores = new Float64Array((before.length + 1) * width);
  const steps = new Uint8Array(scores.length);
  const best = { score: 0, at: 0 };
  if (isAnchored) for (let column = 1; column < width; column += 1) scores[column] = -difference * column;
  for (const [row, one] of before.entries()) {
    for (const [column, other] of after.entries()) {
      const at = (row + 1) * width + column + 1;
      const score = scoreOf(one, other);
      const options = [
        isAnchored ? Number.NEGATIVE_INFINITY : 0,
        (scores[at - width - 1] ?? 0) + score,
        (scores[at - width] ?? 0) - difference,
        (scores[at - 1] ?? 0) - difference,
      ];
      const highest = options.reduce((most, option) => Math.max(most, option));
      scores[at] = highest;
      // The options are in the order of the steps.
      steps[at] = options.indexOf(highest);
      const mayEnd = !isAnchored || row === before.length - 1;
      if (mayEnd && highest > best.score) Object.assign(best, { score: highest, at });
    }
  }
  return { score: best.score, matches: matchesUpTo(best.at, steps, width, before, after) };
};

const matchesUpTo = (
  end: number,
  steps: Uint8Array,
  width: number,
  before: readonly Token[],
  after: readonly Token[],
): Match[] => {
  const matches: Match[] = [];
  for (let at = end; at >= width && at % width !== 0; ) {
    const step = steps[at];
    if (!step) break;
    const match = { before: Math.floor(at / width) - 1, after: (at % width) - 1 };
    const isSame = before[match.before]?.key === after[match.after]?.key;
    if (step === ofBoth && isSame) matches.unshift(match);
    if (step === ofBoth) at -= width + 1;
    else at -= step === ofBefore ? width : 1;
  }
  return matches;
};
