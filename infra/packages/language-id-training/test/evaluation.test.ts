import { describe, expect, it } from "vitest";
import { normalise } from "../../../../shared/models/language-id/normalise.ts";
import { confusionMatrix, measureAccuracy } from "../src/evaluation/measurements.ts";
import { missedTargets } from "../src/evaluation/targets.ts";
import { type TestText, testTextsFrom, unseenTexts } from "../src/evaluation/test-texts.ts";
import type { CorpusLine } from "../src/training/corpus.ts";
import { lengthBuckets } from "../src/training/length-buckets.ts";

const line = (language: string, source: string, text: string): CorpusLine => ({
  split: "test-story",
  language,
  source,
  text,
});

const texts = (language: "lug" | "ach", count: number): readonly TestText[] =>
  Array.from({ length: count }, (_, index) => ({
    text: `${language} ${index}`,
    language,
    domain: "in-domain",
    bucket: "3-10",
  }));

describe("making test texts", () => {
  const story = "Abaana bagenda ku ssomero buli lunaku ne bakomawo ewaka akawungeezi nga banyiikaavu nnyo";

  it("crops lines to whole words of each length", () => {
    const testTexts = testTextsFrom([line("lug", "story", story)], new Set());
    expect(new Set(testTexts.map(({ bucket }) => bucket))).toContain("21-50");
    for (const { text, bucket } of testTexts) {
      const range = lengthBuckets.find(({ name }) => name === bucket);
      expect(text.length).toBeGreaterThanOrEqual(range?.minLength ?? Number.NaN);
      expect(text.length).toBeLessThanOrEqual(range?.maxLength ?? Number.NaN);
      expect(` ${story} `).toContain(` ${text} `);
    }
  });

  it("leaves out texts the model has learned from, however they are spelled", () => {
    const lines = [line("lug", "story", "Webale nnyo ssebo!")];
    expect(testTextsFrom(lines, new Set())).not.toEqual([]);
    expect(testTextsFrom(lines, new Set([normalise("WEBALE NNYO SSEBO")]))).not.toContainEqual(
      expect.objectContaining({ text: "Webale nnyo ssebo!" }),
    );
  });

  it("counts only the largest training source as in-domain", () => {
    const testTexts = testTextsFrom(
      [line("lug", "salt-devtest", story), line("ach", "udhr", story)],
      new Set(),
    );
    expect(new Set(testTexts.map(({ language, domain }) => `${language} ${domain}`))).toEqual(
      new Set(["lug in-domain", "ach out-of-domain"]),
    );
  });
});

describe("finding texts that training has not seen", () => {
  const learned = [
    line("lug", "story", "Abaana bagenda ku ssomero."),
    line("nyn", "story", "Abaana nibaza aha ishomero"),
    line("lug", "story", "olunaku olumu mu kyalo ekyewala ennyo"),
  ];
  const inLuganda = (text: string): TestText => ({
    text,
    language: "lug",
    domain: "out-of-domain",
    bucket: "3-10",
  });
  const unseen = (text: string, where: "in its language" | "anywhere") =>
    unseenTexts([inLuganda(text)], learned, where).length === 1;

  it.each([
    ["Bagenda KU", "at a line's inside, however it is spelled"],
    ["abaana", "at a line's beginning"],
    ["ssomero", "at a line's end"],
    ["Olunaku olumu mu kyalo", "and is long"],
  ])("finds %j seen, which occurs in a line %s", (text) => {
    expect(unseen(text, "in its language")).toBe(false);
    expect(unseen(text, "anywhere")).toBe(false);
  });

  it.each(["webale", "olunaku olumu mu kibuga"])("finds %j unseen, which occurs nowhere", (text) => {
    expect(unseen(text, "in its language")).toBe(true);
    expect(unseen(text, "anywhere")).toBe(true);
  });

  it("counts a part of a word, or a word of another language, as seen only for `anywhere`", () => {
    for (const text of ["baana", "ishomero"]) {
      expect(unseen(text, "in its language")).toBe(true);
      expect(unseen(text, "anywhere")).toBe(false);
    }
  });
});

describe("measuring", () => {
  const sayLuganda = () => "lug";

  it("averages over languages, not over texts, and over languages with enough texts only", () => {
    const [first] = measureAccuracy(sayLuganda, [...texts("lug", 30), ...texts("ach", 10)]);
    expect(first).toMatchObject({ domain: "in-domain", bucket: "3-10", macro: 0.5 });
    const [tooFew] = measureAccuracy(sayLuganda, [...texts("lug", 30), ...texts("ach", 9)]);
    expect(tooFew?.macro).toBe(1);
  });

  it("counts every result for each language", () => {
    const matrix = confusionMatrix(sayLuganda, [...texts("lug", 3), ...texts("ach", 2)]);
    expect(matrix.get("ach")).toEqual(new Map([["lug", 2]]));
  });

  it("names the targets that are missed", () => {
    const accuracy = measureAccuracy(sayLuganda, [...texts("lug", 30), ...texts("ach", 10)]);
    const missed = missedTargets({
      accuracy: accuracy.slice(0, 1),
      unseenAccuracy: accuracy.slice(0, 1),
      microseconds: new Map([["21-50", 26]]),
      loadMilliseconds: 61,
      fileBytes: 300_001,
    });
    expect(missed).toEqual([
      "in-domain, 3-10 characters: accuracy is below 87%.",
      "in-domain, 3-10 characters, unseen: accuracy is below 83%.",
      "21-50 characters: a text takes longer than 25 µs.",
      "Loading takes longer than 60 ms.",
      "The weights file is larger than 300000 bytes.",
    ]);
  });
});
