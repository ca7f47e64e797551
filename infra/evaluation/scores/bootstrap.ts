/** A score of a corpus, with its 95% interval. */
export interface Score {
  readonly score: number;
  /** `null` when there are too few items for an interval. */
  readonly interval: [number, number] | null;
}

/** How often a corpus is drawn again. */
export const resamples = 1_000;

/** The same items always have the same interval. */
export const seed = 20_261_124;

/** Fewer items say nothing about how much a score varies: of one item, every sample is the same. */
export const minIntervalItems = 10;

/** Returns whole numbers below `limit`, evenly distributed (`splitmix32`). */
const startRandom = (start: number): ((limit: number) => number) => {
  let state = start;
  return (limit) => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return Math.floor((((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32) * limit);
  };
};

const sum = (rows: Iterable<readonly number[]>, width: number): number[] => {
  const totals = new Array<number>(width).fill(0);
  for (const row of rows) {
    for (let column = 0; column < width; column += 1) {
      totals[column] = (totals[column] ?? 0) + (row[column] ?? 0);
    }
  }
  return totals;
};

function* draw(
  rows: readonly (readonly number[])[],
  random: (limit: number) => number,
): Generator<readonly number[]> {
  for (let count = 0; count < rows.length; count += 1) yield rows[random(rows.length)] ?? [];
}

/**
 * The score of a corpus with its 95% interval: the 2.5th and 97.5th percentile of the scores of corpora of the same size whose
 * items are drawn from it with replacement.
 *
 * @param rows the statistics of each item, at least one
 * @param scoreOf the score of summed statistics
 */
export const scoreItems = (
  rows: readonly (readonly number[])[],
  scoreOf: (statistics: readonly number[]) => number,
): Score => {
  const width = rows[0]?.length ?? 0;
  const score = scoreOf(sum(rows, width));
  if (rows.length < minIntervalItems) return { score, interval: null };
  const random = startRandom(seed);
  const scores = Array.from({ length: resamples }, () => scoreOf(sum(draw(rows, random), width)));
  const ordered = scores.toSorted((one, other) => one - other);
  const at = (share: number): number => ordered[Math.round(share * (resamples - 1))] ?? score;
  return { score, interval: [at(0.025), at(0.975)] };
};
