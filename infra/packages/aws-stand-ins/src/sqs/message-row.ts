import * as z from "zod";
import { messageAttributesSchema } from "./message-attributes.ts";

/** A message as the database holds it; times are Unix milliseconds. */
export const messageRowSchema = z
  .object({
    sequence: z.number(),
    queue: z.string(),
    id: z.string(),
    body: z.string(),
    attributes: z.string().transform((text) => messageAttributesSchema.parse(JSON.parse(text))),
    group_id: z.string().nullable(),
    deduplication_id: z.string().nullable(),
    sent_at: z.number(),
    visible_at: z.number(),
    receive_count: z.number(),
    first_received_at: z.number().nullable(),
    receipt: z.string().nullable(),
    source_queue: z.string().nullable(),
  })
  .transform((row) => ({
    sequence: row.sequence,
    queue: row.queue,
    id: row.id,
    body: row.body,
    attributes: row.attributes,
    groupId: row.group_id,
    deduplicationId: row.deduplication_id,
    sentAt: row.sent_at,
    visibleAt: row.visible_at,
    receiveCount: row.receive_count,
    firstReceivedAt: row.first_received_at,
    receipt: row.receipt,
    sourceQueue: row.source_queue,
  }));

export type StoredMessage = z.output<typeof messageRowSchema>;

/** What identifies an accepted message to its sender. */
export const sentMessageSchema = z.object({ id: z.string(), sequence: z.number() });

export type SentMessage = z.output<typeof sentMessageSchema>;
