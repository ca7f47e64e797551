import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createElement } from "preact";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Evaluation, isFresh } from "../../../functions/site/quality/evaluation.ts";
import { Quality } from "../../../functions/site/quality/quality.tsx";
import { qualityRows } from "../../../functions/site/quality/quality-rows.ts";
import { readEvaluations } from "../../../functions/site/quality/read-evaluations.ts";
import { evaluationSample, measuredSample } from "../../support/evaluation-sample.ts";
import { render, textOf } from "./rendered.ts";

const day = 24 * 60 * 60 * 1_000;
const measuredAt = Date.parse(evaluationSample.measured_at);

const page = (evaluation: Evaluation | undefined, now = measuredAt): string =>
  render(createElement(Quality, { evaluation, now }));

const rowOf = (html: string, name: string): string => {
  const row = html.split("<tr>").find((each) => each.includes(`<th scope="row">${name}</th>`));
  return textOf(row?.split("</th>")[1] ?? "").trim();
};

describe("The page about quality", () => {
  it("says that nothing was measured", () => {
    const html = page(undefined);
    expect(html).toContain("No measurements yet");
    expect(html).not.toContain("<table");
  });

  it("shows how often words are right by what they are marked with, and where that is not known", () => {
    const none = { words: 400, curve: null, checks: [] };
    const check = { from: 0.9, to: 1, count: 250, right: 235 };
    const curve = [[0.2, 0.3] as const, [0.9, 0.95] as const];
    const languages = {
      lug: { recordings: 40, words: { words: 400, curve, checks: [check] }, segments: none },
      ach: { recordings: 40, words: { ...none, words: 0 }, segments: none },
      swa: { recordings: 3, words: none, segments: { ...none, words: 30 } },
    };
    const about = { measured_at: evaluationSample.measured_at, base_url: "https://a.example" };
    const data = { name: "Clinic recordings", about: "" };
    const calibration = { version: 1 as const, ...about, data, languages };
    const props = { evaluation: undefined, calibration, now: measuredAt };
    const html = render(createElement(Quality, props));
    expect(rowOf(html, "90%–100%")).toMatch(/^94%250/);
    expect(html).toContain('<polyline points="95,6" class="curve-line"');
    expect(textOf(html)).toMatch(/nothing about what is right: Acholi\s*Too few recordings: Swahili/);
    expect(textOf(html)).toContain("Clinic recordings");
  });

  it("has the scores of each direction with their intervals", () => {
    const html = page(evaluationSample);
    expect(rowOf(html, "English → Luganda")).toBe(
      "41.2 (38.0–44.1)12.5 (9.8–15.0)1,012 (3 without a result)0.84",
    );
    expect(rowOf(html, "Luganda → English")).toBe("50.012.510.84");
    expect(rowOf(html, "gof")).toBe("12.05.0100.84");
    expect(rowOf(html, "Swahili")).toBe("");
    expect(html).toContain("Clinic questions");
  });

  it("says of every language without data that it was not measured, and never has an average", () => {
    const html = page(evaluationSample);
    expect(textOf(html)).toMatch(/Not measured: Acholi, Alur, .*Swahili →/);
    expect(textOf(html)).not.toMatch(/average|mean\b/i);
    const { measured, unmeasured } = qualityRows("translation", evaluationSample);
    // 32 languages: three are measured as a target, one of them only so.
    expect(measured).toHaveLength(3);
    expect(new Set(unmeasured).size).toBe(29 + 1);
    expect(qualityRows("transcription", evaluationSample).unmeasured).toHaveLength(51 - 1);
    expect(qualityRows("language_identification", evaluationSample).unmeasured).toHaveLength(6 - 1);
    expect(qualityRows("transcription", { ...evaluationSample, transcription: [] })).toMatchObject({
      measured: [],
      unmeasured: expect.arrayContaining(["Luganda", "Zulu"]),
    });
  });

  it("marks an evaluation as fresh for 30 days", () => {
    expect(page(evaluationSample, measuredAt + 30 * day - 1)).toContain(">Fresh</span>");
    const old = page(evaluationSample, measuredAt + 30 * day);
    expect(old).toContain("Older than 30 days");
    expect(old).not.toContain("Fresh");
    expect(isFresh(evaluationSample, measuredAt)).toBe(true);
  });

  it("has prices only when the evaluation has some", () => {
    expect(page(evaluationSample)).not.toContain("US dollars");
    const [direction, ...others] = evaluationSample.translation;
    if (!direction) throw new Error("The sample has no direction.");
    const priced = {
      ...direction,
      cost_per_item: { ...measuredSample.cost_per_item, dollars: 0.000_12 },
    };
    expect(page({ ...evaluationSample, translation: [priced, ...others] })).toContain("0.00012");
  });
});

describe("The evaluation of a stage", () => {
  let stages: string;
  beforeEach(async () => {
    stages = await mkdtemp(join(tmpdir(), "stages-"));
    await mkdir(join(stages, "prod"));
    await mkdir(join(stages, "dev"));
    await writeFile(join(stages, "prod.json"), "{}");
  });
  afterEach(() => rm(stages, { recursive: true }));
  const write = (text: string) => writeFile(join(stages, "prod/evaluation.json"), text);

  it("is the file in its folder", async () => {
    await write(JSON.stringify(evaluationSample));
    expect(readEvaluations(stages)).toEqual({ prod: evaluationSample });
  });

  it.each([
    ["is not JSON", "{", "is not JSON."],
    [
      "lacks what the page shows",
      JSON.stringify({ ...evaluationSample, measured_at: "today" }),
      "measured_at",
    ],
    ["has no version that is known", JSON.stringify({ ...evaluationSample, version: 2 }), "version"],
  ])("is refused with the name of the file when it %s", async (_case, text, problem) => {
    await write(text);
    expect(() => readEvaluations(stages)).toThrow(join(stages, "prod/evaluation.json"));
    expect(() => readEvaluations(stages)).toThrow(problem);
  });
});
