/** How often each sequence of `order` parts occurs. */
export const countNgrams = (
  parts: readonly string[],
  order: number,
  separator: string,
): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (let start = 0; start + order <= parts.length; start += 1) {
    const ngram = parts.slice(start, start + order).join(separator);
    counts.set(ngram, (counts.get(ngram) ?? 0) + 1);
  }
  return counts;
};

/** How many sequences there are when `length` parts have some of `order`. */
export const totalNgrams = (length: number, order: number): number => Math.max(0, length - order + 1);

/** How many sequences of one text also occur in the other, each as often as it occurs in both. */
export const countMatches = (
  one: ReadonlyMap<string, number>,
  other: ReadonlyMap<string, number>,
): number => {
  let matches = 0;
  for (const [ngram, count] of one) matches += Math.min(count, other.get(ngram) ?? 0);
  return matches;
};
