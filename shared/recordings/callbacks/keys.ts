/** The prefix that permissions use. */
export const callbackKeyPrefix = "CALLBACKS#";

const deliveriesPrefix = "JOB#";

/** The key table of this folder's README in code. No other file contains a key. */
export const callbackKeys = {
  /** K1: the signing secrets of an account. */
  secret: (userId: number) => ({ PK: `${callbackKeyPrefix}${userId}`, SK: "SECRET" }),
  /** K2: the deliveries of a job's callback. */
  deliveries: (userId: number, jobId: string) => ({
    PK: `${callbackKeyPrefix}${userId}`,
    SK: `${deliveriesPrefix}${jobId}`,
  }),

  /** K3: the callbacks of an account that are being sent. */
  slots: (userId: number) => ({ PK: `${callbackKeyPrefix}${userId}`, SK: "SLOTS" }),
  /** K4: a callback that failed, for the operators' list. */
  failed: (name: string) => ({ PK: `${callbackKeyPrefix}FAILED`, SK: `${deliveriesPrefix}${name}` }),
  /** The beginning of the sort keys of K2. */
  deliveriesPrefix,
  ofAccount: (userId: number) => `${callbackKeyPrefix}${userId}`,
};
