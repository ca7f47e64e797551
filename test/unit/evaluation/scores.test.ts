import { describe, expect, it } from "vitest";
import { bleuOf, bleuStatistics } from "../../../infra/evaluation/scores/bleu.ts";
import { minIntervalItems, scoreItems } from "../../../infra/evaluation/scores/bootstrap.ts";
import { chrfOf, chrfStatistics } from "../../../infra/evaluation/scores/chrf.ts";
import { characterErrors, errorRateOf, wordErrors } from "../../../infra/evaluation/scores/error-rate.ts";

/** Outputs, references, and what sacreBLEU 2.6 and jiwer 4 compute: BLEU, chrF++, WER and CER in per cent. */
const known: readonly (readonly [string, readonly string[], readonly string[], readonly number[]])[] = [
  [
    "of two sentences with marks and figures",
    ["Abaana bagenda ku ssomero buli lunaku.", "The nurse's 2-3 visits cost $4.75, i.e. less."],
    ["Abaana bagenda mu ssomero buli lunaku!", "The nurse's 2-3 visits cost $4.50, i.e. 3.5% less."],
    [55.5268, 75.5963, 26.6667, 10.2273],
  ],
  [
    "with an empty output",
    ["", "Webale nnyo"],
    ["Oli otya?", "Webale nnyo ssebo"],
    [0, 43.6931, 60, 57.6923],
  ],
  [
    "of equal texts with combining marks",
    ["Ẹ káàárọ̀, ṣé dáadáa ni? Ọjọ́ kejìlá oṣù kẹta."],
    ["Ẹ káàárọ̀, ṣé dáadáa ni? Ọjọ́ kejìlá oṣù kẹta."],
    [100, 100, 0, 0],
  ],
  ["of a text of three tokens", ["Oli otya?"], ["Oli otya?"], [0, 100, 0, 0]],
  ["of unrelated scripts", ["xyz"], ["ሰላም ለዓለም፤ እንዴት ነህ?"], [0, 0, 100, 100]],
  ["of an output that is too long", ["a b c d e f g h"], ["a b"], [11.0448, 55, 300, 400]],
  [
    "of characters beyond the basic plane",
    ["🙂 Webale 👩🏾‍🌾"],
    ["🙂 Webale nnyo 👩🏾‍🌾 ssebo!"],
    [0, 36.6448, 40, 48],
  ],
];

describe("Scores", () => {
  it.each(known)("%s are those of sacreBLEU and jiwer", (_case, outputs, references, expected) => {
    const score = (
      statisticsOf: (output: string, reference: string) => number[],
      scoreOf: (statistics: readonly number[]) => number,
    ) =>
      scoreItems(
        outputs.map((output, index) => statisticsOf(output, references[index] ?? "")),
        scoreOf,
      ).score;
    const scores = [
      score(bleuStatistics, bleuOf),
      score(chrfStatistics, chrfOf),
      score(wordErrors, errorRateOf),
      score(characterErrors, errorRateOf),
    ];
    for (const [index, value] of scores.entries())
      expect(value).toBeCloseTo(expected[index] ?? Number.NaN, 3);
  });
});

const share = ([right = 0, total = 0]: readonly number[]): number => (100 * right) / total;
const rowsOf = (right: number, wrong: number): number[][] => [
  ...Array.from({ length: right }, () => [1, 1]),
  ...Array.from({ length: wrong }, () => [0, 1]),
];

describe("The interval of a score", () => {
  it("is the one of statistics, and the same each time", () => {
    const first = scoreItems(rowsOf(70, 30), share);
    expect(first.score).toBe(70);
    // 1.96 standard errors of a share of 70% of 100 items are 9.0.
    const [low = 0, high = 0] = first.interval ?? [];
    expect(low).toBeGreaterThan(59);
    expect(low).toBeLessThan(63);
    expect(high).toBeGreaterThan(77);
    expect(high).toBeLessThan(81);
    expect(scoreItems(rowsOf(70, 30), share)).toEqual(first);
  });

  it("is missing when there are too few items", () => {
    expect(scoreItems(rowsOf(minIntervalItems - 1, 0), share)).toEqual({ score: 100, interval: null });
    expect(scoreItems(rowsOf(minIntervalItems, 0), share)).toEqual({ score: 100, interval: [100, 100] });
  });
});
