import { describe, expect, it } from "vitest";
import {
  describeBound,
  failedRows,
  judge,
  measuredIn,
  ratioOf,
  writeTable,
} from "../../bench/compare/verdict.ts";
import { median, quantile } from "../../bench/statistics.ts";

const row = (value: number, spread: readonly [number, number] = [value, value]) => ({
  what: "CPU a request",
  measured: { value, spread },
  bound: { must: 0.6, stretch: 0.45 },
});

describe("the middle of some figures", () => {
  it("is the middle one, or between the two in the middle, in any order", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([10, 1, 2, 4])).toBe(3);
  });

  it("is a number only when there is one", () => {
    expect(median([])).toBeNaN();
    expect(quantile([], 0.9)).toBeNaN();
  });

  it("sorts figures as numbers", () => {
    expect(quantile([100, 9, 20], 1)).toBe(100);
  });
});

describe("a ratio", () => {
  it("is formed within each round: a round in which everything took long says the same as any other", () => {
    expect(ratioOf([50, 500, 60], [100, 1_000, 100])).toEqual({ value: 0.5, spread: [0.5, 0.6] });
  });

  it("is no number when a round lacks its counterpart", () => {
    expect(ratioOf([1], []).value).toBeNaN();
  });
});

describe("a bound", () => {
  it("fails beyond its bound, and reports what exceeds the requirement", () => {
    expect(judge(row(0.61))).toBe("FAILED");
    expect(judge(row(0.6))).toBe("met");
    expect(judge(row(0.45))).toBe("stretch met");
  });

  it("judges a figure as it is printed", () => {
    expect(judge(row(0.604))).toBe("met");
    expect(judge(row(0.606))).toBe("FAILED");
  });

  it("fails what is no number: nothing was measured", () => {
    expect(judge(row(Number.NaN))).toBe("FAILED");
  });

  it("fails a function that asks the table less often than it has to", () => {
    const calls = { ...row(0.5), bound: { must: 1, kind: "exactly" } } as const;
    expect(judge(calls)).toBe("FAILED");
    expect(judge({ ...calls, measured: measuredIn([1]) })).toBe("met");
    expect(judge({ ...calls, measured: measuredIn([1.01]) })).toBe("FAILED");
  });

  it("may be a minimum", () => {
    const bound = { must: 1.6, stretch: 2.2, kind: "at least" } as const;
    const verdicts = [1.59, 1.6, 2.2, Number.NaN].map((value) => judge({ ...row(value), bound }));
    expect(verdicts).toEqual(["FAILED", "met", "stretch met", "FAILED"]);
    expect(describeBound(bound)).toBe("≥ 1.6 (2.2)");
  });

  it("is not judged where the system does not tell the figure", () => {
    expect(judge({ ...row(0), measured: undefined })).toBe("not judged");
  });

  it("holds for a ratio however much the rounds differ, for a time only when they agree", () => {
    expect(judge(row(0.7, [0.1, 5]))).toBe("FAILED");
    expect(judge({ ...row(0.7, [0.1, 5]), unit: "ms" })).toBe("not judged");
    expect(judge({ ...row(0.7, [0.6, 0.8]), unit: "ms" })).toBe("FAILED");
  });

  it("is missing for a figure that is only shown", () => {
    const { bound, ...shown } = row(99);
    expect([judge(shown), bound.must]).toEqual(["", 0.6]);
    expect(failedRows([shown, row(0.5), row(0.7)])).toEqual([row(0.7)]);
  });
});

it("the table has a cell for every column, also of a line without figures", () => {
  const lines = writeTable(
    [row(0.5), { what: "memory", measured: undefined, remark: "no /proc here" }],
    false,
  ).split("\n");
  expect(lines.map((line) => line.split("|").length)).toEqual([8, 8, 8, 8]);
  expect(lines.at(-1)).toContain("no /proc here");
});
