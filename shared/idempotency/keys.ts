import { createHash } from "node:crypto";

/** Partition keys of what is kept of named requests begin with it; permissions go by it. */
export const idempotencyKeyPrefix = "IDEM#";

/** What is kept of an `Idempotency-Key`, to know it again. */
export const idempotencyKeyDigest = (idempotencyKey: string): string =>
  createHash("sha256").update(idempotencyKey).digest("base64url");

/** The key table of this folder's README, in code. No other file spells a key. */
export const idempotencyKeys = {
  /** I1: a request that its caller has named. Accounts share no names, their tokens and keys do. */
  request: (userId: number, operationId: string, idempotencyKey: string) => ({
    PK: idempotencyKeys.ofAccount(userId),
    SK: createHash("sha256").update(`${operationId}\n${idempotencyKey}`).digest("base64url"),
  }),
  /** All that is kept of an account's requests. */
  ofAccount: (userId: number): string => `${idempotencyKeyPrefix}USER#${userId}`,
};
