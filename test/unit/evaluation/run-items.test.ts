import { describe, expect, it } from "vitest";
import type { DataItem } from "../../../infra/evaluation/data/item.ts";
import { readRetryAfter } from "../../../infra/evaluation/run/call-service.ts";
import type { ItemOutcome } from "../../../infra/evaluation/run/outcome.ts";
import { runItems } from "../../../infra/evaluation/run/run-items.ts";

const itemsOf = (count: number): DataItem[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `item-${index}`,
    task: "language_identification",
    language: "lug",
    text: `text ${index}`,
  }));

const output: ItemOutcome = {
  kind: "output",
  output: "lug",
  seconds: 0.1,
  tokens: null,
  audio_seconds: null,
  server: null,
};
const failure: ItemOutcome = { kind: "failed", reason: "the line is cut", seconds: undefined };

/** Runs items against a service that responds as scripted, then with outputs. */
const run = async (count: number, script: readonly ItemOutcome[], parallel = 1) => {
  const responses = script.values();
  const sent: { id: string; at: number }[] = [];
  const stored: string[] = [];
  const waits: number[] = [];
  const failed = runItems(itemsOf(count), {
    parallel,
    call: async ({ id }) => {
      sent.push({ id, at: performance.now() });
      return responses.next().value ?? output;
    },
    store: async ({ id }) => void stored.push(id),
    onWait: (seconds) => waits.push(seconds),
    pauseMilliseconds: 1,
  });
  return { failed, sent, stored, waits };
};

describe("A run", () => {
  it("stores each outcome once, with several requests at the same time", async () => {
    const { failed, stored } = await run(25, [], 4);
    expect(await failed).toEqual([]);
    expect(stored.toSorted()).toEqual(
      itemsOf(25)
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  it("stores a refusal and does not send the item again", async () => {
    const refusal: ItemOutcome = {
      kind: "refused",
      status: 422,
      code: "validation_failed",
      detail: "too long",
    };
    const { failed, sent, stored } = await run(2, [refusal]);
    expect(await failed).toEqual([]);
    expect(sent).toHaveLength(2);
    expect(stored).toEqual(["item-0", "item-1"]);
  });

  it("ends at once when a limit lasts for hours, and says until when", async () => {
    const { failed, stored } = await run(5, [output, { kind: "limited", seconds: 7_200 }]);
    await expect(failed).rejects.toThrow(/limit of the account is reached until \d{4}-.*continues from here/);
    expect(stored).toEqual(["item-0"]);
  });

  it("sends a failed item up to four times, and continues with the others", async () => {
    const { failed, sent, stored } = await run(2, [failure, failure, failure, failure]);
    expect(await failed).toMatchObject([{ item: { id: "item-0" }, reason: "the line is cut" }]);
    expect(sent.filter(({ id }) => id === "item-0")).toHaveLength(4);
    expect(stored).toEqual(["item-1"]);
  });

  it("ends when ten items in a row fail", async () => {
    const { failed, sent } = await run(
      100,
      Array.from({ length: 400 }, () => failure),
      2,
    );
    await expect(failed).rejects.toThrow("10 items in a row failed; the last one because the line is cut.");
    expect(sent.length).toBeLessThanOrEqual(48);
  });
});

describe("Retry-After", () => {
  it.each([
    ["30", 30],
    ["Thu, 01 Jan 1970 00:01:00 GMT", 60],
    ["soon", undefined],
    [null, undefined],
  ])("of %s is %s seconds", (value, seconds) => {
    expect(readRetryAfter(value, 0)).toBe(seconds);
  });
});
