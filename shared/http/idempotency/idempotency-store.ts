import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { CachedSecret } from "../../platform/config/secrets.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { dependencyUnavailable } from "../../platform/errors/dependency-failure.ts";
import { withinTime } from "../../platform/outbound/timeouts.ts";
import type { Item, ItemTable, ItemUpdate } from "../../platform/storage/item-table.ts";
import { type ObjectStore, responsesFolderOf } from "../../platform/storage/object-store.ts";
import type { LogEvent } from "../../platform/telemetry/log-events.ts";
import { describeError, logger } from "../../platform/telemetry/logger.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { idempotencyKeys } from "./keys.ts";
import { openResponse, type SealedFor, type StoredResponse, sealResponse } from "./sealed-response.ts";

/** How long an answer is given again, from the first request on. */
const retentionSeconds = 24 * 60 * 60;

/** An item of DynamoDB has at most 400 kB; in base64 these take 387, and the rest of the item less than one. */
const maxItemBytes = 290 * 1_024;

/** As much as a function may answer as a whole. What is larger is given once. */
const maxStoredBytes = 6 * 1_024 * 1_024;

/** The caller waits for it; should it take longer, the answer leaves and is not given again. */
const keepMilliseconds = 3_000;

/** A store that sends a response byte by byte must not delay the caller who requests it again. */
const readMilliseconds = 10_000;

/** Callers should wait before they repeat a request in progress: each attempt counts in the minute. */
const retrySeconds = 5;

/** A request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  readonly userId: number;
  readonly operationId: string;
  readonly idempotencyKey: string;
  /** The request's content. */
  readonly content: unknown;
  /** Whether its answer holds a secret that only its caller may ever read. */
  readonly isConfidential: boolean;
  /** When the function is ended that works on it, from now. Its lock ends then, if nothing else has ended it. */
  readonly milliseconds: number;
}

/** Held by the first request with an `Idempotency-Key`. Its holder calls one of these; neither rejects. */
export interface IdempotencyLock {
  /** Stores the response for repeated requests. */
  keep(response: StoredResponse): Promise<void>;
  /** Stores nothing: the next request runs. */
  release(): Promise<void>;
}

/** The state of an `Idempotency-Key`. */
export type BeginResult =
  | { readonly kind: "first"; readonly lock: IdempotencyLock }
  | { readonly kind: "answered"; readonly response: StoredResponse }
  | { readonly kind: "in-progress"; readonly retryAfterSeconds: number }
  /** It was sent with another request. */
  | { readonly kind: "reused" };

/** Makes requests with an `Idempotency-Key` run once. */
export interface IdempotencyStore {
  /**
   * Takes the lock of a request, in one round trip, or returns the state of the first one.
   *
   *
   * @throws what the table or the store throws: then it is unknown whether the request is the first.
   */
  begin(request: IdempotentRequest): Promise<BeginResult>;
}

/** Where locks and responses are stored. */
export interface IdempotencyOptions {
  readonly table: Pick<ItemTable, "update">;
  readonly store: Pick<ObjectStore, "delete" | "put" | "stream">;
  /** Without them, no response with a secret in it is stored. */
  readonly secrets?: CachedSecret<readonly string[]> | undefined;
  /** Milliseconds of Unix time. */
  readonly now?: () => number;
}

const requestItem = z.object({
  fingerprint: z.string(),
  /** Who works on it, or has. */
  holder: z.string(),
  /** Unix seconds. Until then no other request may take the lock. */
  held_until: z.int(),
  /** Sealed, in base64. */
  answer: z.string().optional(),
  /** The sealed answer's name in the store, if it is too large for an item. */
  answer_object: z.string().optional(),
});

/** The data of a lock. */
interface HeldRequest {
  readonly Key: ItemUpdate["Key"];
  readonly userId: number;
  readonly holder: string;
  readonly sealedFor: SealedFor;
  /** Unix seconds: the answer is given again until then. */
  readonly expiresAt: number;
}

const attempt = async (event: LogEvent, work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
  try {
    await withinTime(keepMilliseconds, work);
  } catch (error) {
    logger.error(event, { reason: describeError(error) });
  }
};

/** Locks and responses in the service's table and bucket; access pattern I1 of this folder's README. */
export const createIdempotencyStore = ({
  table,
  store,
  secrets,
  now = Date.now,
}: IdempotencyOptions): IdempotencyStore => {
  const readObject = async (name: string): Promise<Buffer> => {
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

  const readResponse = async ({ answer: response, answer_object }: z.output<typeof requestItem>) => {
    if (response !== undefined) return Buffer.from(response, "base64");
    return answer_object === undefined ? undefined : readObject(answer_object);
  };

  const lockOf = ({ Key, userId, holder, sealedFor, expiresAt }: HeldRequest): IdempotencyLock => {
    /** Updates the item, unless another request has taken the lock or the account is gone. */
    const finish = (values: Item, heldUntil: number, signal: AbortSignal) =>
      table.update(
        {
          Key,
          UpdateExpression: `SET ${["held_until", ...Object.keys(values)].map((name) => `${name} = :${name}`).join(", ")}`,
          ConditionExpression: "holder = :holder",
          ExpressionAttributeValues: {
            ":holder": holder,
            ":held_until": heldUntil,
            ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
          },
        },
        signal,
      );

    const keepObject = async (sealed: Buffer, signal: AbortSignal): Promise<void> => {
      const name = `${responsesFolderOf(userId)}${randomBytes(16).toString("hex")}`;
      await store.put(name, sealed, { contentType: "application/octet-stream" });
      const { applied } = await finish({ answer_object: name }, expiresAt, signal);
      if (!applied) await store.delete(name);
    };

    const release = () =>
      attempt("idempotency.not_released", async (signal) => {
        await finish({}, 0, signal);
      });

    return {
      release,
      keep: async (response) => {
        const size = Buffer.byteLength(response.body);
        if (size > maxStoredBytes) {
          logger.warn("idempotency.not_kept", { reason: `The answer has ${size} bytes.` });
          await release();
          return;
        }
        await attempt("idempotency.not_kept", async (signal) => {
          const sealed = await sealResponse(response, sealedFor);
          if (sealed.length > maxItemBytes) await keepObject(sealed, signal);
          else await finish({ answer: sealed.toString("base64") }, expiresAt, signal);
        });
      },
    };
  };

  return {
    begin: async ({ userId, operationId, idempotencyKey, content, isConfidential, milliseconds }) => {
      if (isConfidential && !secrets) throw new Error(`The responses of ${operationId} cannot be sealed.`);
      const Key = idempotencyKeys.request(userId, operationId, idempotencyKey);
      const sealedFor = {
        idempotencyKey,
        itemKey: `${Key.PK} ${Key.SK}`,
        secrets: isConfidential ? secrets : undefined,
      };
      const fingerprint = fingerprintOf(content, idempotencyKey);
      const holder = randomBytes(12).toString("base64url");
      const time = now() / 1_000;
      const expiresAt = Math.ceil(time) + retentionSeconds;
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
      // A write that is sent again, because its answer was lost, is refused for what it has written itself.
      if (applied || found.holder === holder) {
        return { kind: "first", lock: lockOf({ Key, userId, holder, sealedFor, expiresAt }) };
      }
      if (found.fingerprint !== fingerprint) return { kind: "reused" };
      const sealed = await readResponse(found);
      if (sealed) return { kind: "answered", response: await openResponse(sealed, sealedFor) };
      const left = Math.max(1, Math.ceil(found.held_until - time));
      return { kind: "in-progress", retryAfterSeconds: Math.min(retrySeconds, left) };
    },
  };
};
