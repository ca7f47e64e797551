import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { CachedSecret } from "../../platform/config/secrets.ts";
import { daySeconds } from "../../platform/durations.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { dependencyUnavailable } from "../../platform/errors/dependency-failure.ts";
import { withinTime } from "../../platform/outbound/timeouts.ts";
import type { ObjectStore } from "../../platform/storage/object-store.ts";
import type { Table } from "../../platform/storage/table.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { type HeldRequest, IdempotencyLock } from "./idempotency-lock.ts";
import { idempotencyKeys } from "./keys.ts";
import { openResponse, type StoredResponse } from "./sealed-response.ts";

/** How long a response is replayed, from the first request on. */
export const retentionSeconds = daySeconds;

/** A store that sends a response byte by byte must not delay the caller who requests it again. */
const readMilliseconds = 10_000;

/** Callers should wait before they repeat a request in progress: each attempt counts in the minute. */
const retrySeconds = 5;

/** A request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  readonly userId: number;
  readonly operationId: string;
  readonly idempotencyKey: string;
  readonly content: unknown;
  /** Whether its response contains a secret that only its caller may ever read. */
  readonly isConfidential: boolean;
  /** How long its function can still run. The lock expires then, unless the request ends earlier. */
  readonly milliseconds: number;
}

/** The state of an `Idempotency-Key`; `reused`: it was sent with another request. */
export type BeginResult =
  | { readonly kind: "first"; readonly lock: IdempotencyLock }
  | { readonly kind: "answered"; readonly response: StoredResponse }
  | { readonly kind: "in-progress"; readonly retryAfterSeconds: number }
  | { readonly kind: "reused" };

/** Where locks and responses are stored. */
export interface IdempotencyOptions {
  readonly table: Pick<Table, "update">;
  readonly store: Pick<ObjectStore, "delete" | "put" | "stream">;
  /** Without them, no response with a secret in it is stored. */
  readonly secrets?: CachedSecret<readonly string[]> | undefined;
  /** Milliseconds of Unix time. */
  readonly now?: () => number;
}

const requestItem = z.object({
  fingerprint: z.string(),
  /** The request that holds the lock, or held it. */
  holder: z.string(),
  /** Unix seconds. Until then no other request may take the lock. */
  held_until: z.int(),
  /** The sealed response, in base64. */
  answer: z.string().optional(),
  /** The sealed response's name in the store, if it is too large for an item. */
  answer_object: z.string().optional(),
});

const readObject = async (store: IdempotencyOptions["store"], name: string): Promise<Buffer> => {
  const read = async (signal: AbortSignal) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of store.stream(name, { signal })) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  try {
    return await withinTime(readMilliseconds, read);
  } catch (error) {
    throw error instanceof AppError ? error : dependencyUnavailable(error);
  }
};

const readSealed = async (
  { answer, answer_object }: z.output<typeof requestItem>,
  store: IdempotencyOptions["store"],
): Promise<Buffer | undefined> => {
  if (answer !== undefined) return Buffer.from(answer, "base64");
  return answer_object === undefined ? undefined : readObject(store, answer_object);
};

/** Writes the item of a request if no other holds the lock; returns the item afterwards, or the other's. */
const takeLock = async (
  { table }: IdempotencyOptions,
  { Key, holder, expiresAt }: HeldRequest,
  { fingerprint, time, milliseconds }: { fingerprint: string; time: number; milliseconds: number },
) => {
  const { applied, item } = await table.update({
    Key,
    UpdateExpression:
      "SET fingerprint = :fingerprint, holder = :holder, held_until = :until, expires_at = :end REMOVE answer, answer_object",
    ConditionExpression: "attribute_not_exists(PK) OR held_until <= :now",
    ExpressionAttributeValues: {
      ":fingerprint": fingerprint,
      ":holder": holder,
      ":until": Math.ceil(time + milliseconds / 1_000),
      ":end": expiresAt,
      ":now": Math.floor(time),
    },
  });
  const found = requestItem.parse(item);
  // A retry of the write, after its response was lost, fails on the item that it wrote itself.
  return { isFirst: applied || found.holder === holder, found };
};

const begin = async (options: IdempotencyOptions, request: IdempotentRequest): Promise<BeginResult> => {
  const { store, secrets, now = Date.now } = options;
  const { userId, operationId, idempotencyKey, isConfidential, milliseconds } = request;
  if (isConfidential && !secrets) throw new Error(`The responses of ${operationId} cannot be sealed.`);
  const time = now() / 1_000;
  const Key = idempotencyKeys.request(userId, operationId, idempotencyKey);
  const itemKey = `${Key.PK} ${Key.SK}`;
  const held: HeldRequest = {
    Key,
    userId,
    holder: randomBytes(12).toString("base64url"),
    sealedFor: { idempotencyKey, itemKey, secrets: isConfidential ? secrets : undefined },
    expiresAt: Math.ceil(time) + retentionSeconds,
  };
  const fingerprint = fingerprintOf(request.content, idempotencyKey);
  const { isFirst, found } = await takeLock(options, held, { fingerprint, time, milliseconds });
  if (isFirst) return { kind: "first", lock: new IdempotencyLock(options, held) };
  if (found.fingerprint !== fingerprint) return { kind: "reused" };
  const sealed = await readSealed(found, store);
  if (sealed) return { kind: "answered", response: await openResponse(sealed, held.sealedFor) };
  const left = Math.max(1, Math.ceil(found.held_until - time));
  return { kind: "in-progress", retryAfterSeconds: Math.min(retrySeconds, left) };
};

/** Makes requests with an `Idempotency-Key` run once. */
export interface IdempotencyStore {
  /**
   * Takes the lock of a request, in one round trip, or returns the state of the first one.
   *
   * @throws what the table or the store throws: then it is unknown whether the request is the first.
   */
  begin(request: IdempotentRequest): Promise<BeginResult>;
}

/** Locks and responses in the service's table and bucket; access pattern I1 of this folder's README. */
export const createIdempotencyStore = (options: IdempotencyOptions): IdempotencyStore => ({
  begin: (request) => begin(options, request),
});
