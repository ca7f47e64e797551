import { describe, expect, it } from "vitest";
import { markedFrom } from "../../../functions/site/quality/calibration-rows.ts";
import { fitCurve, fitIsotonic, type Sample } from "../../../infra/evaluation/calibration/fit-curve.ts";
import { findRightWords } from "../../../infra/evaluation/calibration/right-words.ts";
import { readCurve } from "../../../shared/models/inference/confidence.ts";

/** Numbers from 0 to 1 that look random, the same for each run (a linear congruential generator). */
const createRandom = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
};

/** Words of a model that is right as often as this says of its score. */
const wordsOf = (
  seed: number,
  rightAt: (score: number) => number,
  { recordings = 60, words = 30 } = {},
): Sample[] => {
  const random = createRandom(seed);
  return Array.from({ length: recordings * words }, (_, index) => {
    const score = random();
    return { score, isRight: random() < rightAt(score), recording: String(Math.floor(index / words)) };
  });
};

const overconfident = (score: number): number => score ** 2;
const underconfident = (score: number): number => Math.sqrt(score);

describe("a fitted curve", () => {
  it.each([
    ["too sure", overconfident],
    ["not sure enough", underconfident],
    ["right", (score: number) => score],
  ])("marks what is right as often as it says, for a model that is %s", (_title, rightAt) => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { curve, checks } = fitCurve(wordsOf(seed, rightAt, { recordings: 100, words: 40 }));
      if (!curve) throw new Error("There is no curve.");
      const others = wordsOf(1_000 + seed, rightAt, { recordings: 200 });
      const marked = others.filter(({ score }) => readCurve(curve, score) >= 0.9);
      expect(marked.length).toBeGreaterThan(100);
      expect(marked.filter(({ isRight }) => isRight).length / marked.length).toBeGreaterThanOrEqual(0.88);
      const checked = markedFrom(0.9, { words: 0, curve, checks });
      expect(checked.right / checked.count).toBeGreaterThanOrEqual(0.86);
    }
  });

  it("is missing for scores that say nothing, which only 2 of 100 data sets hide", () => {
    const found = Array.from({ length: 100 }, (_, seed) => fitCurve(wordsOf(seed, () => 0.7)).curve);
    expect(found.filter((curve) => curve !== null).length).toBeLessThanOrEqual(4);
  });

  it.each([
    ["for scores that are equal", wordsOf(1, () => 0.7).map((word) => ({ ...word, score: 1 }))],
    ["for scores that fall where more is right", wordsOf(1, (score) => 1 - score)],
    ["for a model that is always right", wordsOf(1, () => 1)],
    ["for less than a hundred words", wordsOf(1, overconfident, { recordings: 33, words: 3 })],
    ["for less than ten recordings", wordsOf(1, overconfident, { recordings: 9, words: 200 })],
    ["for no words", []],
  ])("is missing %s", (_title, samples) => {
    expect(fitCurve(samples)).toEqual({ words: samples.length, curve: null, checks: [] });
  });

  it("never falls", () => {
    const points = fitIsotonic(wordsOf(7, overconfident)) ?? [];
    expect(points.length).toBeGreaterThan(5);
    expect(points.toSorted(([one], [other]) => one - other)).toEqual(points);
    expect(points.toSorted(([, one], [, other]) => one - other)).toEqual(points);
  });
});

describe("the right words of a transcript", () => {
  it.each([
    ["Oli otya ssebo", "oli, otya Ssebo?", [true, true, true]],
    ["Oli ota ssebo", "Oli otya ssebo", [true, false, true]],
    ["Oli otya nnyo ssebo", "Oli otya ssebo", [true, true, false, true]],
    ["otya ssebo", "Oli otya ssebo", [true, true]],
    ["", "Oli otya", []],
    ["Oli otya", "", [false, false]],
  ])("of %j for %j are %j", (heard, reference, right) => {
    expect(findRightWords(heard === "" ? [] : heard.split(" "), reference)).toEqual(right);
  });
});
