/** What a feature added to a bound. */
export interface Raise {
  readonly for: string;
  readonly lines: number;
}

/** How many lines there were when they were fewest, rounded up to the next 500, and what was added since. */
export interface LineBound {
  readonly lines: number;
  /** A feature that needs more lines adds an entry for itself; no one changes `lines`, except to lower it. */
  readonly raised: readonly Raise[];
}

/** The bounds of the lines of TypeScript and style sheets. */
export const lineBounds = {
  production: { lines: 91_500, raised: [] },
  productionWithPackages: { lines: 109_000, raised: [] },
  tests: { lines: 114_000, raised: [] },
} as const satisfies Record<string, LineBound>;

/** The bound with everything that was added to it. */
export const boundOf = ({ lines, raised }: LineBound): number =>
  raised.reduce((sum, raise) => sum + raise.lines, lines);
