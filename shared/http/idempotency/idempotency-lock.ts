import { randomBytes } from "node:crypto";
import { withinTime } from "../../platform/outbound/timeouts.ts";
import { type ObjectStore, responsesFolderOf } from "../../platform/storage/object-store.ts";
import type { Item, ItemUpdate, Table } from "../../platform/storage/table.ts";
import type { LogEvent } from "../../platform/telemetry/log-events.ts";
import { describeError, logger } from "../../platform/telemetry/logger.ts";
import { type SealedFor, type StoredResponse, sealResponse } from "./sealed-response.ts";

/** An item of DynamoDB has at most 400 kB; in base64 these take 387, and the rest of the item less than one. */
const maxItemBytes = 290 * 1_024;

/** The largest response that a function can send as a whole. */
const maxStoredBytes = 6 * 1_024 * 1_024;

/** The caller waits for the write; if it takes longer, the response is sent without being stored. */
const writeMilliseconds = 3_000;

/** Where locks and responses are stored. */
export interface LockStores {
  readonly table: Pick<Table, "update">;
  readonly store: Pick<ObjectStore, "delete" | "put">;
}

/** What a lock was taken for. */
export interface HeldRequest {
  readonly Key: ItemUpdate["Key"];
  readonly userId: number;
  readonly holder: string;
  readonly sealedFor: SealedFor;
  /** Unix seconds: the response is replayed until then. */
  readonly expiresAt: number;
}

const attempt = async (event: LogEvent, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
  try {
    await withinTime(writeMilliseconds, work);
  } catch (error) {
    logger.error(event, { reason: describeError(error) });
  }
};

/** Held by the first request with an `Idempotency-Key`, which calls `keep` or `release`; neither rejects. */
export class IdempotencyLock {
  readonly #stores: LockStores;
  readonly #held: HeldRequest;

  constructor(stores: LockStores, held: HeldRequest) {
    this.#stores = stores;
    this.#held = held;
  }

  /** Stores the response for repeated requests. */
  async keep(response: StoredResponse): Promise<void> {
    const size = Buffer.byteLength(response.body);
    if (size > maxStoredBytes) {
      logger.warn("idempotency.not_kept", { reason: `The response has ${size} bytes.` });
      return this.release();
    }
    return attempt("idempotency.not_kept", async (signal) => {
      const sealed = await sealResponse(response, this.#held.sealedFor);
      if (sealed.length > maxItemBytes) return this.#keepObject(sealed, signal);
      return this.#update({ held_until: this.#held.expiresAt, answer: sealed.toString("base64") }, signal);
    });
  }

  /** Stores nothing: the next request runs. */
  release(): Promise<void> {
    return attempt("idempotency.not_released", (signal) => this.#update({ held_until: 0 }, signal));
  }

  async #keepObject(sealed: Buffer, signal: AbortSignal): Promise<void> {
    const { store } = this.#stores;
    const { userId, expiresAt } = this.#held;
    const name = `${responsesFolderOf(userId)}${randomBytes(16).toString("hex")}`;
    await store.put(name, sealed, { contentType: "application/octet-stream" });
    const { applied } = await this.#update({ held_until: expiresAt, answer_object: name }, signal);
    if (!applied) await store.delete(name);
  }

  /** Updates the item, unless another request has taken the lock or the account is gone. */
  #update(values: Item, signal: AbortSignal) {
    const { Key, holder } = this.#held;
    const names = Object.keys(values);
    return this.#stores.table.update(
      {
        Key,
        UpdateExpression: `SET ${names.map((name) => `${name} = :${name}`).join(", ")}`,
        ConditionExpression: "holder = :holder",
        ExpressionAttributeValues: {
          ":holder": holder,
          ...Object.fromEntries(names.map((name) => [`:${name}`, values[name]])),
        },
      },
      signal,
    );
  }
}
