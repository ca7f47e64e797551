import * as z from "zod";
import { sendReceipt } from "../../../shared/messaging/send-receipt.ts";
import { output } from "../output.ts";
import { changes } from "../plan.ts";

/** How far the work on a message is. Kept for 8 days: the platform may deliver a message again for 7. */
export const messageRecord = z.object({
  /** Everything that is to be said, in its order; more may follow until there are `changes`. */
  outputs: z.array(output).default([]),
  /** What is to be remembered. There as soon as the whole answer is planned. */
  changes: changes.optional(),
  /** How many of the outputs are settled: taken by the platform, or refused for good. */
  settled: z.int().default(0),
  /** Unix milliseconds. Since then the next output may be on its way, or have arrived. */
  sending_since: z.int().optional(),
  /** The platform's ids of what was taken. */
  replies: z.array(z.string()).default([]),
  /** The platform's codes for what was refused. */
  refusals: z.array(z.int()).default([]),
  /** What the platform has reported, by the output's number. */
  receipts: z.record(z.string(), sendReceipt).default({}),
});
export type MessageRecord = z.infer<typeof messageRecord>;

/** The part of a record that changes while the answer goes out. */
export type Progress = Omit<MessageRecord, "receipts">;
