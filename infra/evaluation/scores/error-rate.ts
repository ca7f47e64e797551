import { codePointsOf, joinSpaces, strip } from "./words.ts";

/** The number of insertions, deletions and substitutions between two sequences (Levenshtein). */
const countEdits = (from: readonly string[], to: readonly string[]): number => {
  let previous = Uint32Array.from({ length: to.length + 1 }, (_, index) => index);
  let current = new Uint32Array(to.length + 1);
  for (const [row, part] of from.entries()) {
    current[0] = row + 1;
    for (const [column, other] of to.entries()) {
      const substituted = (previous[column] ?? 0) + (part === other ? 0 : 1);
      current[column + 1] = Math.min(
        substituted,
        (previous[column + 1] ?? 0) + 1,
        (current[column] ?? 0) + 1,
      );
    }
    [previous, current] = [current, previous];
  }
  return previous[to.length] ?? 0;
};

const wordsOf = (text: string): string[] =>
  strip(joinSpaces(text))
    .split(" ")
    .filter((word) => word !== "");

const compare =
  (partsOf: (text: string) => string[]) =>
  (output: string, reference: string): number[] => {
    const expected = partsOf(reference);
    return [countEdits(expected, partsOf(output)), expected.length];
  };

/** The wrong words of a transcript, and the words of its reference. Words are compared as they are, with case and marks. */
export const wordErrors = compare(wordsOf);

/** The wrong characters of a transcript, and the characters of its reference, spaces included. */
export const characterErrors = compare((text) => codePointsOf(strip(text)));

/**
 * The error rate of a corpus in per cent, as jiwer 4 defines WER and CER by default: errors divided by the parts of the references.
 * It can exceed 100. Without any part in the references, each error counts as 100.
 *
 * @param statistics sums of {@link wordErrors} or of {@link characterErrors}
 */
export const errorRateOf = (statistics: readonly number[]): number => {
  const [errors = 0, total = 0] = statistics;
  return (100 * errors) / Math.max(total, 1);
};
