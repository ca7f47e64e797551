import * as z from "zod";
import { daySeconds } from "../../platform/durations.ts";
import type { Table } from "../../platform/storage/table.ts";
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
const retentionSeconds = 30 * daySeconds;

/** The deliveries of callbacks in the table. */
export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

/** Opens the log of deliveries; access pattern K2 of this folder's README. */
export const createDeliveryLog = (
  table: Pick<Table, "query" | "read" | "update">,
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
    await table.update({
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
        ":end": Math.floor(now() / 1_000) + retentionSeconds,
      },
    });
  },

  /** Lists the callbacks of an account that were attempted, those of the newest jobs first. */
  list: async (userId: number, limit: number): Promise<CallbackDelivery[]> => {
    const items = await table.query({
      partition: callbackKeys.ofAccount(userId),
      beginsWith: callbackKeys.jobs,
      descending: true,
      limit,
    });
    return items.map((item) => {
      const { SK, ...state } = deliveryItem.parse(item);
      return { id: SK.slice(callbackKeys.jobs.length), ...state };
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
