import * as z from "zod";
import { daySeconds } from "../../platform/durations.ts";
import type { Table } from "../../platform/storage/table.ts";
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

/** As long as the job's result. */
export const deliveryRetentionSeconds = 30 * daySeconds;

/** The deliveries of callbacks in the table. */
export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

/** Opens the log of deliveries; access pattern K2 of this folder's README. */
export const createDeliveryLog = (table: Pick<Table, "read" | "update">, now: () => number = Date.now) => ({
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
  ): Promise<void> => {
    await table.update({
      Key: callbackKeys.deliveries(userId, jobId),
      UpdateExpression:
        "SET deliveries = list_append(if_not_exists(deliveries, :none), :entry), #status = :status, expires_at = :end",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: {
        ":none": [],
        ":entry": [entry],
        ":status": status,
        ":end": Math.floor(now() / 1_000) + deliveryRetentionSeconds,
      },
    });
  },
});
