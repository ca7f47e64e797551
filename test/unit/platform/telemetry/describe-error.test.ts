import { describe, expect, it } from "vitest";
import * as z from "zod";
import { describeError, describeErrorName } from "../../../../shared/platform/telemetry/logger.ts";

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe("An error in the log", () => {
  it("has its name, its sentence and where it was thrown", () => {
    expect(describeError(new TypeError("fetch failed"))).toMatchObject({
      name: "TypeError",
      message: "fetch failed",
      stack: expect.arrayContaining([expect.stringContaining("describe-error.test.ts")]),
    });
  });

  it.each([
    ["text that is no JSON", () => JSON.parse("what somebody said")],
    ["unexpected keys", () => z.strictObject({}).parse({ "what somebody wrote": 1 })],
  ])("does not quote %s", (_, work) => {
    const error = thrownBy(work);
    expect(String(error)).toContain("what some");
    expect(JSON.stringify(describeError(error))).not.toContain("what some");
    expect(describeError(error)?.stack).not.toEqual([]);
  });

  it("is nothing when something else was thrown", () => {
    expect(describeError("a text that somebody said")).toBeUndefined();
  });
});

describe("an error that quotes what a service was given", () => {
  it("is described by its name only", () => {
    const error = Object.assign(new Error("Not verified: amina@example.com"), { name: "MessageRejected" });
    expect(describeErrorName(error)).toEqual({ name: "MessageRejected" });
    expect(describeErrorName("amina@example.com")).toEqual({ name: "unknown" });
  });
});
