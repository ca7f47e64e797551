import type { Token } from "./tokens.ts";

/** Two tokens that are the same word, heard twice: its place in each list. */
export interface Match {
  readonly before: number;
  readonly after: number;
}

export interface Alignment {
  /** In their order. */
  readonly matches: readonly Match[];
  /** How many more words are alike than not. */
  readonly score: number;
}

/** What a word costs that is not in both, or not the same. */
const difference = 0.7;

/** What it is worth that the times of a word agree; so that of repeated words the right ones match. */
const agreement = 0.5;

const scoreOf = (one: Token, other: Token): number => {
  if (one.key !== other.key) return -difference;
  const slack = one.slack + other.slack;
  if (!Number.isFinite(slack)) return 1;
  const apart = Math.abs((one.start + one.end - other.start - other.end) / 2);
  return apart > slack ? -difference : 1 + agreement * (1 - apart / slack);
};

/** How a place in the table was reached: by a word of both lists, or of one; 0 where it starts. */
const ofBoth = 1;
const ofBefore = 2;

/**
 * The longest common sequence of words where one list ends and the other one starts.
 *
 * @param isAnchored whether all of the first list's end and of the second one's start should be in it: where no times tell
 * that two words are the same, a word that occurs twice is no sign
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
      const highest = Math.max(...options);
      scores[at] = highest;
      // The order of the options is that of the steps.
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
