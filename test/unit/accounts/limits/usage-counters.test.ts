import { describe, expect, it } from "vitest";
import {
  dayCounter,
  readDayCounter,
  readUsageCounter,
  usageCounter,
} from "../../../../shared/accounts/limits/usage-counters.ts";

const row = { day: 20_777, operationId: "createChatCompletion", keyId: undefined };

describe("a counter of usage", () => {
  it.each([
    ["requests", undefined, "u20777:createChatCompletion:-:r"],
    ["errors", "aB3xYz09", "u20777:createChatCompletion:aB3xYz09:e"],
    ["characters", undefined, "u20777:createChatCompletion:-:c"],
    ["promptTokens", undefined, "u20777:createChatCompletion:-:p"],
    ["completionTokens", undefined, "u20777:createChatCompletion:-:t"],
    ["audioMilliseconds", "aB3xYz09", "u20777:createChatCompletion:aB3xYz09:a"],
  ] as const)("of %s by the key %s is named %s, and read by that name", (unit, keyId, name) => {
    const counter = { ...row, keyId, unit };
    expect(usageCounter(counter, unit)).toBe(name);
    expect(readUsageCounter(name)).toEqual(counter);
    expect(dayCounter(counter)).toBe(name.slice("u20777:".length));
    expect(readDayCounter(20_777, dayCounter(counter))).toEqual(counter);
  });

  it("of an older version is one of requests with a token", () => {
    expect(readUsageCounter("d20777:translate")).toEqual({
      day: 20_777,
      operationId: "translate",
      keyId: undefined,
      unit: "requests",
    });
  });

  it.each([
    "disabled",
    "d20777",
    "u20777",
    "u:translate:-:r",
    "u20777:translate:-:z",
    "u20777:translate:-",
    "u20777:translate:-:r:x",
    "d20777:translate:-:r",
    "ux:translate:-:r",
    "m29919481",
    "M2026-11",
    "streams",
    "",
  ])("is not %j", (attribute) => {
    expect(readUsageCounter(attribute)).toBeUndefined();
  });
});
