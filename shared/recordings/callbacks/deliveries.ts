import * as z from "zod";
import { daySeconds } from "../../platform/durations.ts";
import type { Table, TableWrite } from "../../platform/storage/table.ts";
import { type CallbackRequest, callbackEvents } from "./callback-queue.ts";
import { callbackKeys } from "./keys.ts";

/** One attempt to send a callback: the status of the response, or why there was none. */
export const callbackAttempt = z
  .object({
    at: z.iso.datetime().describe("When the callback was sent"),
    status_code: z
      .int()
      .optional()
      .meta({ example: 204, description: "The status of the response; absent when there was none" }),
    error: z.string().optional().describe("Why there was no response"),
  })
  .meta({ id: "CallbackTry" });
export type CallbackAttempt = z.infer<typeof callbackAttempt>;

/** The state of a callback and its attempts. */
export const callbackState = z.object({
  status: z
    .enum(["pending", "delivered", "failed"])
    .describe("`pending` while the callback can still be retried"),
  deliveries: z.array(callbackAttempt).describe("The attempts, oldest first"),
});
export type CallbackState = z.infer<typeof callbackState>;

/** A callback with its state, as its account sees it. */
export const callbackDelivery = callbackState.extend({
  id: z.string().meta({ description: "The id of the job, or of the test event" }),
  event: z.enum(callbackEvents).nullable().meta({
    example: "job.completed",
    description: "The event; null for callbacks of earlier versions",
  }),
  url: z.string().nullable().meta({
    example: "https://example.org/language-ai",
    description: "The URL that was called; null for callbacks of earlier versions",
  }),
});
export type CallbackDelivery = z.infer<typeof callbackDelivery>;

const deliveryItem = callbackState.extend({
  SK: z.string(),
  event: callbackDelivery.shape.event.default(null),
  url: callbackDelivery.shape.url.default(null),
});

/** As long as the job's result. */
export const deliveryRetentionSeconds = 30 * daySeconds;

/** The job of a name that `deliveryName` returned. */
const jobOf = (name: string): string => name.replace(/#.*$/, "");

const failedItem = z.object({ name: z.string(), job_id: z.string(), user_id: z.int() });

/** A callback that failed. */
export interface FailedCallback {
  /** As `deliveryName` returns it. */
  readonly name: string;
  readonly userId: number;
  readonly jobId: string;
}

/** The deliveries of callbacks in the table. */
export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

/** Opens the log of deliveries; access patterns K2 and K4 of this folder's README. */
export const createDeliveryLog = (
  table: Pick<Table, "query" | "read" | "transact" | "update">,
  now: () => number = Date.now,
) => ({
  /** Returns a pending state without attempts for a callback that was never attempted. */
  read: async (userId: number, jobId: string): Promise<CallbackState> => {
    const item = await table.read({ Key: callbackKeys.deliveries(userId, jobId) });
    return item ? callbackState.parse(item) : { status: "pending", deliveries: [] };
  },

  /** Adds an attempt and sets the state of the callback. */
  add: async (
    userId: number,
    jobId: string,
    entry: CallbackAttempt,
    status: CallbackState["status"],
    { url, event }: Pick<CallbackRequest, "event" | "url">,
  ): Promise<void> => {
    const expiresAt = Math.floor(now() / 1_000) + deliveryRetentionSeconds;
    const update = {
      Key: callbackKeys.deliveries(userId, jobId),
      UpdateExpression:
        "SET deliveries = list_append(if_not_exists(deliveries, :none), :entry), #status = :status, expires_at = :end, " +
        "#url = :url, #event = :event",
      ExpressionAttributeNames: { "#status": "status", "#url": "url", "#event": "event" },
      ExpressionAttributeValues: {
        ":url": url,
        ":event": event,
        ":none": [],
        ":entry": [entry],
        ":status": status,
        ":end": expiresAt,
      },
    };
    if (status === "pending") {
      await table.update(update);
      return;
    }
    const listed = callbackKeys.failed(jobId);
    const fields = { name: jobId, job_id: jobOf(jobId), user_id: userId, expires_at: expiresAt };
    const listing: TableWrite = status === "failed" ? { put: { ...listed, ...fields } } : { delete: listed };
    await table.transact([{ update }, listing]);
  },

  /**
   * Sets a failed callback to pending, for an operator. It stays in the list until it is delivered.
   *
   * @param record written together with it.
   * @returns `false` when it has not failed.
   */
  reopen: async (userId: number, jobId: string, record: TableWrite): Promise<boolean> => {
    const update = {
      Key: callbackKeys.deliveries(userId, jobId),
      UpdateExpression: "SET #status = :pending",
      ConditionExpression: "attribute_exists(PK) AND #status <> :delivered",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":pending": "pending", ":delivered": "delivered" },
    };
    return (await table.transact([{ update }, record])).applied;
  },

  /** Lists callbacks of all accounts that failed, those of the newest jobs first. @param before as the name of the last one. */
  listFailed: async (limit: number, before: string | undefined): Promise<FailedCallback[]> => {
    const { PK: partition } = callbackKeys.failed("");
    const after = before === undefined ? undefined : callbackKeys.failed(before);
    const items = await table.query({ partition, descending: true, limit, after });
    return items
      .map((item) => failedItem.parse(item))
      .map(({ name, job_id: id, user_id: owner }) => ({ name, jobId: id, userId: owner }));
  },

  /** Lists the callbacks of an account that were attempted, those of the newest jobs first. */
  list: async (userId: number, limit: number): Promise<CallbackDelivery[]> => {
    const items = await table.query({
      partition: callbackKeys.ofAccount(userId),
      beginsWith: callbackKeys.deliveriesPrefix,
      descending: true,
      limit,
    });
    return items.map((item) => {
      const { SK, ...state } = deliveryItem.parse(item);
      return { id: jobOf(SK.slice(callbackKeys.deliveriesPrefix.length)), ...state };
    });
  },

  /** Changes the state of a callback. @returns `false` when it has another one than was seen, or was never attempted. */
  change: async (
    userId: number,
    jobId: string,
    seen: CallbackState["status"],
    status: CallbackState["status"],
  ): Promise<boolean> => {
    const { applied } = await table.update({
      Key: callbackKeys.deliveries(userId, jobId),
      UpdateExpression: "SET #status = :status",
      ConditionExpression: "#status = :seen",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":status": status, ":seen": seen },
    });
    return applied;
  },
});
