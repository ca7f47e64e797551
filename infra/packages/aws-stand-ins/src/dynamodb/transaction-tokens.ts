import { createHash } from "node:crypto";
import * as z from "zod";
import { dynamoDbError } from "./dynamodb-error.ts";
import type { BatchOperation } from "./level.ts";
import { keysBelow, type Store } from "./store.ts";

const keyPrefix = "transaction-token~";

/** A token is idempotent for ten minutes after its request (TransactWriteItems, AWS API reference). */
const lifetimeSeconds = 600;

const storedToken = z.object({ fingerprint: z.string(), expiresAt: z.number() });

/** A client's token together with the request it was sent with. */
interface TransactionToken {
  readonly key: string;
  readonly fingerprint: string;
}

/** @param request - What has to be the same whenever the token is sent again. */
export const transactionToken = (token: string, request: unknown): TransactionToken => ({
  key: keyPrefix + token,
  fingerprint: createHash("sha256").update(JSON.stringify(request)).digest("base64"),
});

/**
 * Whether the transaction of this token has been executed already.
 *
 *
 * @throws {DynamoDbError} `IdempotentParameterMismatchException` when the token was used for another request.
 */
export const wasCreated = async (store: Store, { key, fingerprint }: TransactionToken): Promise<boolean> => {
  const value = await store.db.get(key);
  if (value === undefined) return false;
  const stored = storedToken.parse(value);
  if (stored.expiresAt <= Date.now() / 1000) return false;
  if (stored.fingerprint === fingerprint) return true;
  throw dynamoDbError(
    "IdempotentParameterMismatchException",
    "The request uses the same client token as a previous, but non-identical request.",
  );
};

/**
 * The write that stores a token. It belongs in the batch of its transaction: a client that repeats a request whose
 * response was lost with the process then learns that it succeeded.
 */
export const rememberToken = ({ key, fingerprint }: TransactionToken): BatchOperation => ({
  type: "put",
  key,
  value: { fingerprint, expiresAt: Date.now() / 1000 + lifetimeSeconds },
});

/** Deletes the tokens that are no longer idempotent. */
export const forgetExpiredTokens = async (store: Store): Promise<void> => {
  const expired: BatchOperation[] = [];
  for await (const [key, value] of store.db.iterator(keysBelow(keyPrefix))) {
    if (storedToken.parse(value).expiresAt <= Date.now() / 1000) expired.push({ type: "del", key });
  }
  await store.db.batch(expired);
};
