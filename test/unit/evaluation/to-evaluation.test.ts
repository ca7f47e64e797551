import { describe, expect, it } from "vitest";
import type { DataItem } from "../../../infra/evaluation/data/item.ts";
import { toEvaluation } from "../../../infra/evaluation/report/to-evaluation.ts";
import type { OutputRecord } from "../../../infra/evaluation/run/outputs.ts";

const translation = (id: string, target_language = "lug"): DataItem => ({
  id,
  task: "translation",
  source_language: "eng",
  target_language,
  source: "Thank you",
  target: "Webale nnyo",
});

const record = (id: string, more: Partial<OutputRecord> = {}): OutputRecord => ({
  id,
  output: "Webale nnyo",
  seconds: 2,
  tokens: 50,
  audio_seconds: null,
  server: null,
  refused: null,
  at: "2026-11-24T10:00:00.000Z",
  ...more,
});

const refused = { status: 422, code: "validation_failed", detail: "too long" };
const free = { millionTokens: 0, audioHour: 0, serverHour: 0 };

const evaluate = (
  items: readonly DataItem[],
  records: readonly OutputRecord[],
  prices = free,
  parallel = 1,
) =>
  toEvaluation({
    data: { name: "Test", about: "", items, repeated: 0 },
    records: new Map(records.map((each) => [each.id, each])),
    baseUrl: "https://api.example.org",
    parallel,
    prices,
  });

describe("An evaluation", () => {
  it("scores only items with an output, and counts the others of their direction", () => {
    const items = ["a", "b", "c"].map((id) => translation(id));
    const { translation: directions } = evaluate(items, [
      record("a"),
      record("b", { output: null, seconds: null, tokens: null, refused }),
    ]);
    expect(directions).toMatchObject([{ items: 1, without_output: 2, chrf: { score: 100 } }]);
  });

  it("has no entry for a direction without any output", () => {
    const items = [translation("a"), translation("b", "swa")];
    const { translation: directions } = evaluate(items, [
      record("a"),
      record("b", { output: null, seconds: null, tokens: null, refused }),
    ]);
    expect(directions.map(({ target_language }) => target_language)).toEqual(["lug"]);
  });

  it("was measured when its last output arrived, however late it is scored", () => {
    const items = [translation("a"), translation("b")];
    const later = "2026-11-24T11:30:00.000Z";
    const evaluation = evaluate(items, [record("a", { at: later }), record("b"), record("elsewhere")]);
    expect(evaluation.measured_at).toBe(later);
  });

  it("has the costs of what it used, at the prices that it was given", () => {
    const items = [translation("a"), translation("b")];
    const records = [record("a"), record("b", { tokens: 150, seconds: 4 })];
    expect(evaluate(items, records).translation[0]).toMatchObject({
      median_seconds: 2,
      slow_seconds: 4,
      cost_per_item: { characters: 9, tokens: 100, audio_seconds: null, dollars: null },
    });
    const tokens = evaluate(items, records, { ...free, millionTokens: 0.4 });
    expect(tokens.translation[0]?.cost_per_item.dollars).toBe(0.00004);
    // 3 s of a machine for 3.6 dollars an hour, which two requests share.
    const machine = evaluate(items, records, { ...free, serverHour: 3.6 }, 2);
    expect(machine.translation[0]?.cost_per_item.dollars).toBe(0.0015);
  });

  it("has no cost where it is not known for every item", () => {
    const items = [translation("a"), translation("b")];
    const { translation: directions } = evaluate(items, [record("a"), record("b", { tokens: null })], {
      ...free,
      millionTokens: 0.4,
      serverHour: 1,
    });
    expect(directions[0]?.cost_per_item).toMatchObject({ tokens: null, dollars: null });
  });

  it("does not exist without any output", () => {
    expect(() => evaluate([translation("a")], [])).toThrow("nothing that could be scored");
  });
});
