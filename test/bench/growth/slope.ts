import { median } from "../statistics.ts";

/** A size of the work, and what it cost in each round. */
export interface Cost {
  readonly size: number;
  readonly rounds: readonly number[];
}

/**
 * The exponent with which a cost grows: the slope of the line through its logarithm over that of the size, by least squares. 1 when
 * the cost doubles with the size, 0 when it does not depend on it.
 */
export const exponentOf = (points: readonly (readonly [size: number, cost: number])[]): number => {
  const logs = points.map(([size, cost]) => [Math.log(size), Math.log(cost)] as const);
  const mean = (index: 0 | 1) => logs.reduce((sum, point) => sum + point[index], 0) / logs.length;
  const [meanSize, meanCost] = [mean(0), mean(1)];
  const covariance = logs.reduce((sum, [size, cost]) => sum + (size - meanSize) * (cost - meanCost), 0);
  return covariance / logs.reduce((sum, [size]) => sum + (size - meanSize) ** 2, 0);
};

/** The exponent of each round. */
export const exponentsOf = (costs: readonly Cost[]): number[] =>
  (costs[0]?.rounds ?? []).map((_, round) =>
    exponentOf(costs.map(({ size, rounds }) => [size, rounds[round] ?? Number.NaN])),
  );

/** How many times the cost of the least size the largest costs, in each round. */
export const ratiosOf = (costs: readonly Cost[]): number[] => {
  const [least, largest] = [costs[0], costs.at(-1)];
  return (least?.rounds ?? []).map((cost, round) => (largest?.rounds[round] ?? Number.NaN) / cost);
};

/** By how much the costs of all sizes differ, in each round. */
export const differencesOf = (costs: readonly Cost[]): number[] =>
  (costs[0]?.rounds ?? []).map((_, round) => {
    const each = costs.map(({ rounds }) => rounds[round] ?? Number.NaN);
    return Math.max(...each) - Math.min(...each);
  });

/** The middle cost of each size, for a table: `1,000: 2.41, 10,000: 23.6 ms`. */
export const describeCosts = (costs: readonly Cost[], unit: string, digits = 2): string =>
  `${costs.map(({ size, rounds }) => `${size.toLocaleString("en")}: ${median(rounds).toFixed(digits)}`).join(", ")} ${unit}`;
