import { describe, expect, it } from "vitest";
import { differencesOf, exponentOf, exponentsOf, ratiosOf } from "../../bench/growth/slope.ts";

const costs = (cost: (size: number) => number) =>
  [1, 10, 100].map((size) => ({ size, rounds: [cost(size), 3 * cost(size)] }));

describe("an exponent of growth", () => {
  it.each([
    [0, () => 7],
    [1, (size: number) => 2 * size],
    [2, (size: number) => 5 * size ** 2],
  ])("is %s for a cost that grows with that power of the size, at any price", (exponent, cost) => {
    expect(exponentOf([1, 20, 300].map((size) => [size, cost(size)]))).toBeCloseTo(exponent);
    expect(exponentsOf(costs(cost))).toEqual([expect.closeTo(exponent), expect.closeTo(exponent)]);
  });

  it("is that of the line closest to all sizes", () => {
    expect(
      exponentOf([
        [1, 1],
        [10, 20],
        [100, 100],
      ]),
    ).toBeCloseTo(1);
  });

  it("is no number when a size was not measured", () => {
    expect(
      exponentsOf([
        { size: 1, rounds: [1] },
        { size: 10, rounds: [] },
      ]),
    ).toEqual([Number.NaN]);
  });
});

describe("the largest size", () => {
  it("is compared with the least within each round", () => {
    expect(ratiosOf(costs((size) => size))).toEqual([100, 100]);
    expect(differencesOf(costs((size) => size))).toEqual([99, 297]);
  });
});
