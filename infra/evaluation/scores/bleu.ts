import { countMatches, countNgrams, totalNgrams } from "./count-ngrams.ts";
import { splitAtSpaces, strip } from "./words.ts";

const maxOrder = 4;
const orders = Array.from({ length: maxOrder }, (_, index) => index + 1);

/** The replacements of mteval-v13a, in their order. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/([{-~[-` -&(-+:-@/])/gu, " $1 "],
  [/([^0-9])([.,])/gu, "$1 $2 "],
  [/([.,])([^0-9])/gu, " $1 $2"],
  [/([0-9])(-)/gu, "$1 $2 "],
];

/** The tokens of a text by sacreBLEU's tokenizer `13a`. */
export const tokenize13a = (text: string): string[] => {
  const line = strip(text)
    .replaceAll("<skipped>", "")
    .replaceAll("-\n", "")
    .replaceAll("\n", " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");
  return splitAtSpaces(
    replacements.reduce((replaced, [pattern, by]) => replaced.replaceAll(pattern, by), ` ${line} `),
  );
};

/**
 * What BLEU needs of one text: the tokens of the output and of the reference, then the matches and the totals of each order.
 * The sums over texts are the statistics of all of them.
 */
export const bleuStatistics = (output: string, reference: string): number[] => {
  const [tokens, expected] = [tokenize13a(output), tokenize13a(reference)];
  return [
    tokens.length,
    expected.length,
    ...orders.map((order) =>
      countMatches(countNgrams(tokens, order, " "), countNgrams(expected, order, " ")),
    ),
    ...orders.map((order) => totalNgrams(tokens.length, order)),
  ];
};

/**
 * BLEU of a corpus, from 0 to 100, as sacreBLEU 2 defines it by default: one reference, tokenizer `13a`, mixed case, exponential
 * smoothing.
 *
 * @param statistics sums of {@link bleuStatistics}
 */
export const bleuOf = (statistics: readonly number[]): number => {
  const [length = 0, expectedLength = 0] = statistics;
  const matches = statistics.slice(2, 2 + maxOrder);
  const totals = statistics.slice(2 + maxOrder);
  if (matches.every((count) => count === 0)) return 0;
  const brevity = length < expectedLength ? Math.exp(1 - expectedLength / length) : 1;
  let smoothing = 1;
  let logarithms = 0;
  for (const [index, total] of totals.entries()) {
    const match = matches[index] ?? 0;
    // No text is long enough for this order.
    if (total === 0) return 0;
    if (match === 0) smoothing *= 2;
    logarithms += Math.log(100 * (match === 0 ? 1 / (smoothing * total) : match / total));
  }
  return brevity * Math.exp(logarithms / maxOrder);
};
