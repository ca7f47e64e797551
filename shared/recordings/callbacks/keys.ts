/** Permissions go by it. */
export const callbackKeyPrefix = "CALLBACKS#";

/** The key table of this folder's README, in code. No other file spells a key. */
export const callbackKeys = {
  /** K1: with what an account's callbacks are signed. */
  secret: (userId: number) => ({ PK: `${callbackKeyPrefix}${userId}`, SK: "SECRET" }),
  /** K2: what became of the callback of a job. */
  deliveries: (userId: number, jobId: string) => ({
    PK: `${callbackKeyPrefix}${userId}`,
    SK: `JOB#${jobId}`,
  }),
  /** The partition of everything of an account. */
  ofAccount: (userId: number) => `${callbackKeyPrefix}${userId}`,
};
