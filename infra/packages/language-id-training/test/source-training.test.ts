import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { bucketBits } from "../../../../shared/models/language-id/features.ts";
import { loadSourceLanguageDetector } from "../../../../shared/models/source-language/detector.ts";
import { modelledLanguages, sourceClassCount } from "../../../../shared/models/source-language/languages.ts";
import { encodeSparseWeights } from "../../../../shared/models/source-language/weights.ts";
import { judge, measureReliability } from "../src/evaluation/source-measurements.ts";
import { replaceFigures } from "../src/evaluation/source-report.ts";
import { sourceTextsFrom } from "../src/evaluation/source-texts.ts";
import { trainSourceModel } from "../src/train-source.ts";
import type { CorpusLine } from "../src/training/corpus.ts";
import { prune } from "../src/training/prune.ts";
import { createRandom, pick } from "../src/training/random.ts";
import { drawWords, readWordLists } from "../src/training/word-lists.ts";

const vocabulary: Readonly<Record<string, readonly string[]>> = {
  lug: ["omuntu", "abaana", "ssomero", "webale", "nnyo", "bagenda", "enkuba"],
  lgg: ["anzi", "'ba", "awa'difo", "drile", "azini", "eri", "muke"],
  deu: ["guten", "Kinder", "Schule", "danke", "gehen", "Regen", "dein"],
};

const inventLines = (split: string): readonly CorpusLine[] => {
  const random = createRandom(3);
  return Array.from({ length: 600 }, (_, index) => {
    const language = ["lug", "lgg", "deu"][index % 3] ?? "lug";
    const text = Array.from({ length: 6 }, () => pick(vocabulary[language] ?? [], random)).join(" ");
    return { split, language, source: "invented", text };
  });
};

const folder = mkdtempSync(join(tmpdir(), "word-lists-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(
  join(folder, "xog.txt"),
  [
    "Form\tFrequency",
    "",
    "# SPDX-License-Identifier: x",
    "",
    "abantu\t900",
    "'ba\t90",
    "Jinja\t900",
    "enkoko\t10",
  ].join("\n"),
);
const options = { sampleCount: 6000, storedWeights: 20_000, seed: 1 };

describe("training the model of source languages", () => {
  const lines = inventLines("train");
  const lists = readWordLists(folder);

  it("learns from lines and from word lists", () => {
    const detector = loadSourceLanguageDetector(encodeSparseWeights(trainSourceModel(lines, lists, options)));
    expect(detector.detect("webale nnyo abaana ssomero")?.code).toBe("lug");
    expect(detector.detect("awa'difo anzi azini drile")?.code).toBe("lgg");
    expect(detector.detect("abantu enkoko abantu enkoko")?.code).toBe("xog");
    expect(detector.detect("guten danke gehen dein")).toBeUndefined();
  });

  it("produces the same bytes every time, and learns nothing from held-out lines", () => {
    const few = { ...options, sampleCount: 500 };
    const first = encodeSparseWeights(trainSourceModel(lines, lists, few));
    const heldOut = inventLines("test-story").map((line) => ({ ...line, language: "ach" }));
    expect(encodeSparseWeights(trainSourceModel([...lines, ...heldOut], lists, few))).toEqual(first);
    expect(encodeSparseWeights(trainSourceModel(lines, lists, { ...few, seed: 2 }))).not.toEqual(first);
  });
});

describe("reading word lists", () => {
  it("takes words with their frequencies, without names, comments and the head", () => {
    const [list] = readWordLists(folder);
    expect(list?.languages).toEqual(["xog"]);
    expect(list?.words).toEqual(["abantu", "'ba", "enkoko"]);
  });

  it("draws frequent words more often, but less than in a text", () => {
    const [list] = readWordLists(folder);
    const random = createRandom(1);
    const words = Array.from({ length: 300 }, () => (list ? drawWords(list, random) : "")).flatMap((text) =>
      text.split(" "),
    );
    const share = (word: string): number => words.filter((each) => each === word).length / words.length;
    expect(share("abantu")).toBeGreaterThan(0.6);
    expect(share("abantu")).toBeLessThan(0.85);
    expect(share("enkoko")).toBeGreaterThan(0.01);
  });
});

describe("reducing the weights", () => {
  it("keeps the strongest, and those that many samples use rather than the heaviest of a few", () => {
    const weights = new Float32Array(sourceClassCount << bucketBits);
    const use = new Float64Array(1 << bucketBits);
    weights[3 * sourceClassCount + 2] = 2;
    weights[4 * sourceClassCount + 5] = -4;
    use[3] = 100;
    use[4] = 1;
    const { counts, classes, levels } = prune(
      { weights, biases: new Float32Array(sourceClassCount), use },
      1,
    );
    expect([counts[3], counts[4]]).toEqual([1, 0]);
    expect([...classes]).toEqual([2]);
    expect([...levels]).toEqual([14]);
  });
});

describe("measuring results", () => {
  const certainOf = (language: string, certain: string | undefined) => ({
    language,
    bucket: "21-50",
    likeliest: certain,
    certain,
  });

  it("counts the texts of all languages, and shows what an even mix would have", () => {
    const judged = [
      ...Array.from({ length: 90 }, () => certainOf("lug", "lug")),
      ...Array.from({ length: 10 }, () => certainOf("lug", undefined)),
      certainOf("xog", "lug"),
      ...Array.from({ length: 9 }, () => certainOf("xog", undefined)),
      certainOf("deu", "lug"),
    ];
    const measured = measureReliability(judged, "lug", ["lug", "xog"]);
    expect(measured.results).toEqual({ right: 90, total: 92 });
    expect(measured.evenPrecision).toBeCloseTo(0.9 / (0.9 + 0.1));
    expect(measured.found.get("21-50")).toBe(0.9);
    expect(measured.mistaken).toEqual(["xog", 1]);
  });

  it("is sure of nothing below the threshold, and leaves out texts that were learned", () => {
    const probabilities = new Float64Array(sourceClassCount).fill(0.01);
    probabilities[modelledLanguages.indexOf("lug")] = 0.94;
    const lines = inventLines("test-story");
    const texts = sourceTextsFrom(lines, new Set());
    expect(judge(() => probabilities, texts).every(({ certain }) => certain === undefined)).toBe(true);
    expect(judge(() => probabilities, texts)[0]?.likeliest).toBe("lug");
    const learned = texts[0]?.text.toLowerCase() ?? "";
    expect(sourceTextsFrom(lines, new Set([learned])).map(({ text }) => text.toLowerCase())).not.toContain(
      learned,
    );
  });

  it("puts figures between the marks of a card, and refuses a card without them", () => {
    const [start, end] = [
      "<!-- figures: npm run langid -- evaluate-source <corpora> --write -->",
      "<!-- end of figures -->",
    ];
    expect(replaceFigures(`a\n${start}\nold\n${end}\nb`, "new")).toBe(`a\n${start}\n\nnew\n\n${end}\nb`);
    expect(() => replaceFigures("a", "new")).toThrow("no marks");
  });
});
