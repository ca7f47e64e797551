import { describe, expect, it } from "vitest";
import { clientRow, rowProblems } from "../support/client-table.ts";

const whole = { title: "some-client returns a whole reply", passed: true };

describe("The README's row of a client", () => {
  it("has a tick for what was tested and passed, and for nothing else", () => {
    const outcomes = [whole, { title: "some-client speaks", passed: false }];
    expect(clientRow("some-client", outcomes)).toBe("| some-client |✓|–|–|–|–|–|–|–|–|");
  });

  it("has no tick where one of two ways fails", () => {
    const outcomes = [
      { title: "some-client calls a tool", passed: true },
      { title: "some-client streams the call of a tool", passed: false },
    ];
    expect(clientRow("some-client", outcomes)).not.toContain("✓");
  });

  it("counts a streamed response as one of responses", () => {
    const outcomes = [{ title: "some-client, responses returns a whole reply", passed: true }];
    expect(clientRow("some-client", outcomes)).toBe("| some-client |–|–|–|–|✓|–|–|–|–|");
  });

  it("is missed where the README has another or none", () => {
    expect(rowProblems("some-client", [whole])).toEqual([expect.stringContaining("| some-client |✓|")]);
    expect(rowProblems("`openai-go`", [whole])).toHaveLength(1);
  });
});
