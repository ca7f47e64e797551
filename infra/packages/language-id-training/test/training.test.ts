import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { bucketBits } from "../../../../shared/models/language-id/features.ts";
import { loadLanguageModel } from "../../../../shared/models/language-id/model.ts";
import { classCount, encodeWeights } from "../../../../shared/models/language-id/weights.ts";
import { trainModel } from "../src/train.ts";
import { type CorpusLine, readCorpus } from "../src/training/corpus.ts";
import { partition } from "../src/training/partition.ts";
import { quantise } from "../src/training/quantise.ts";
import { createRandom, pick } from "../src/training/random.ts";
import { augment } from "../src/training/sampler.ts";

const vocabulary: Readonly<Record<string, readonly string[]>> = {
  lug: ["omuntu", "abaana", "ssomero", "webale", "nnyo", "bagenda", "enkuba"],
  lgg: ["anzi", "'ba", "awa'difo", "drile", "azini", "eri", "muke"],
  swa: ["habari", "watoto", "shule", "asante", "wanaenda", "mvua", "yako"],
};

const inventLines = (count: number, split: string): readonly CorpusLine[] => {
  const random = createRandom(3);
  return Array.from({ length: count }, (_, index) => {
    const language = ["lug", "lgg", "swa"][index % 3] ?? "lug";
    const text = Array.from({ length: 6 }, () => pick(vocabulary[language] ?? [], random)).join(" ");
    return { split, language, source: "invented", text };
  });
};

const options = { sampleCount: 3000, storedBuckets: 2000, seed: 1 };

describe("training the model", () => {
  const lines = inventLines(600, "train");

  it("learns the languages of its lines, and which are none of the six", () => {
    const model = loadLanguageModel(encodeWeights(trainModel(lines, [], options)));
    expect(model.identify("webale nnyo abaana").language).toBe("lug");
    expect(model.identify("awa'difo anzi").language).toBe("lgg");
    expect(model.identify("webale nnyo abaana").other).toBeLessThan(0.5);
    expect(model.identify("asante watoto").other).toBeGreaterThan(0.5);
  });

  it("produces the same bytes every time", () => {
    const first = encodeWeights(trainModel(lines, [], options));
    expect(encodeWeights(trainModel(lines, [], options))).toEqual(first);
    expect(encodeWeights(trainModel(lines, [], { ...options, seed: 2 }))).not.toEqual(first);
  });

  it("does not look at held-out lines", () => {
    const heldOut = inventLines(300, "test-story").map((line) => ({ ...line, language: "ach" }));
    expect(encodeWeights(trainModel([...lines, ...heldOut], [], options))).toEqual(
      encodeWeights(trainModel(lines, [], options)),
    );
  });

  it("learns from no line that its choices use, nor from close relatives of the six", () => {
    const rukiga = { split: "train", language: "cgg", source: "invented", text: "okurima" };
    const { training, development } = partition([...lines, ...inventLines(30, "valid"), rukiga]);
    expect(development.length).toBeGreaterThan(30);
    const learned = new Set(training.map(({ line }) => line));
    expect(development.filter(({ line }) => learned.has(line))).toEqual([]);
    expect(learned).not.toContain(rukiga);
  });
});

describe("making the model good at a few words", () => {
  it("crops half of the samples to whole words of at most ten characters, where the words are not longer", () => {
    const random = createRandom(5);
    const text = "abaana bagenda ku ssomero buli lunaku ne bakomawo ewaka nga bakooye";
    const samples = Array.from({ length: 1000 }, () => augment(text, random));
    const short = samples.filter((sample) => sample.length <= 10);
    expect(short.length).toBeGreaterThan(500);
    expect(samples.filter((sample) => !` ${text} `.includes(` ${sample} `))).toEqual([]);
    expect(samples).toContain("ku ssomero");
  });

  it("keeps the buckets that many samples use rather than the heaviest of a few", () => {
    const weights = new Float32Array(classCount << bucketBits);
    const use = new Float64Array(1 << bucketBits);
    const give = (bucket: number, weight: number, used: number): void => {
      weights[bucket * classCount] = weight;
      use[bucket] = used;
    };
    give(3, 2, 100);
    give(4, 4, 1);
    const { words } = quantise({ weights, biases: new Float32Array(classCount), use }, 1, 1);
    expect(words[3]).not.toBe(0);
    expect(words[4]).toBe(0);
  });
});

describe("reading a corpus", () => {
  const folder = mkdtempSync(join(tmpdir(), "language-id-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const header = "split\tlang\tsource\ttext\n";

  it("takes the tab-separated files of a folder, compressed or not", () => {
    writeFileSync(join(folder, "a.tsv"), `${header}train\tlug\tstory\tWebale nnyo.\n`);
    writeFileSync(join(folder, "b.tsv.gz"), gzipSync(`${header}test-story\tach\tstory\tApwoyo matek.\n`));
    writeFileSync(join(folder, "README.md"), "not a corpus");
    expect(readCorpus([folder])).toEqual([
      { split: "train", language: "lug", source: "story", text: "Webale nnyo." },
      { split: "test-story", language: "ach", source: "story", text: "Apwoyo matek." },
    ]);
  });

  it("names the line that has another form", () => {
    const path = join(folder, "broken.txt");
    writeFileSync(path, `${header}train\tlug\tstory\tWebale nnyo.\ntrain\tlug\n`);
    expect(() => readCorpus([path])).toThrow(`${path}, line 3: expected four columns.`);
  });

  it("requires a corpus", () => {
    expect(() => readCorpus([])).toThrow("Name a folder");
  });
});
