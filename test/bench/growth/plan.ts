/** How much is measured. */
export interface GrowthPlan {
  readonly rounds: number;
  /** For each size of a chat's body. */
  readonly milliseconds: number;
  /** In all streams of one measurement together. */
  readonly tokens: number;
  /** The tokens of single streams. */
  readonly longStreams: readonly number[];
  /** How many streams have readers that stop. */
  readonly readers: readonly number[];
  readonly megabytes: readonly number[];
  readonly jobs: readonly number[];
  readonly accounts: readonly number[];
}

export const fullPlan: GrowthPlan = {
  rounds: 5,
  milliseconds: 800,
  tokens: 64_000,
  longStreams: [40_000, 400_000],
  readers: [10, 100, 1_000],
  megabytes: [1, 10, 100, 500],
  jobs: [20, 1_000, 10_000],
  accounts: [10, 1_000, 100_000],
};

/** Sees whether everything works. */
export const oncePlan: GrowthPlan = {
  rounds: 1,
  milliseconds: 50,
  tokens: 1_000,
  longStreams: [100, 200],
  readers: [1, 10],
  megabytes: [1, 2],
  jobs: [20, 40],
  accounts: [10, 20],
};
