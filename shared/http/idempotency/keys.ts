import { createHash } from "node:crypto";

/** The prefix of partition keys of idempotent requests; permissions use it. */
export const idempotencyKeyPrefix = "IDEM#";

/** The digest of an `Idempotency-Key` that is stored to recognise it. */
export const idempotencyKeyDigest = (idempotencyKey: string): string =>
  createHash("sha256").update(idempotencyKey).digest("base64url");

/** The key table of this folder's README, in code. No other file spells a key. */
export const idempotencyKeys = {
  /** I1: a request with an `Idempotency-Key`, which an account's tokens and keys share, and accounts do not. */
  request: (userId: number, operationId: string, idempotencyKey: string) => ({
    PK: idempotencyKeys.ofAccount(userId),
    SK: idempotencyKeyDigest(`${operationId}\n${idempotencyKey}`),
  }),
  /** All stored items of an account's requests. */
  ofAccount: (userId: number): string => `${idempotencyKeyPrefix}USER#${userId}`,
};
