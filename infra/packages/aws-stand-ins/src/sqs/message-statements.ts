import type { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { messageAttributesSchema } from "./message-attributes.ts";

/** A position in a FIFO queue as the API writes it: twenty digits, so that text order is the order of sending. */
export const sequenceNumber = (sequence: number): string => String(sequence).padStart(20, "0");

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

// A message is in flight when it has a receipt and is hidden; hidden without a receipt it is delayed. Two messages of
// a group keep their order only if the later one also waits for an earlier one that is merely delayed.
const selectAvailable = `
  SELECT * FROM message AS candidate
  WHERE queue = :queue AND visible_at <= :now AND (:fifo = 0 OR NOT EXISTS (
    SELECT 1 FROM message AS blocker
    WHERE blocker.queue = candidate.queue AND blocker.group_id = candidate.group_id AND blocker.visible_at > :now
      AND (blocker.receipt IS NOT NULL OR blocker.sequence < candidate.sequence)
  ))
  ORDER BY sequence LIMIT :maximum
`;

// In a FIFO dead-letter queue the retention period restarts; in a standard one it continues from the first sending.
const moveToDeadLetterQueue = `
  UPDATE message
  SET queue = :target, source_queue = :queue, receipt = NULL, sent_at = iif(:fifo, :now, sent_at)
  WHERE queue = :queue AND visible_at <= :now AND receive_count >= :maximum
`;

const insert = `
  INSERT INTO message (queue, id, body, attributes, group_id, deduplication_id, sent_at, visible_at)
  VALUES (:queue, :id, :body, :attributes, :groupId, :deduplicationId, :now, :visibleAt)
`;

const deliver = `
  UPDATE message
  SET receipt = :receipt, receive_count = :receiveCount, first_received_at = :firstReceivedAt, visible_at = :visibleAt
  WHERE sequence = :sequence
`;

const countMessages = `
  SELECT
    count(*) FILTER (WHERE visible_at <= :now) AS visible,
    count(*) FILTER (WHERE visible_at > :now AND receipt IS NOT NULL) AS inFlight,
    count(*) FILTER (WHERE visible_at > :now AND receipt IS NULL) AS delayed
  FROM message WHERE queue = :queue
`;

/** The SQL behind the message store, prepared once per connection. */
export const prepareMessageStatements = (database: DatabaseSync) => ({
  insert: database.prepare(insert),
  select: database.prepare("SELECT * FROM message WHERE sequence = ? AND queue = ?"),
  selectAvailable: database.prepare(selectAvailable),
  deliver: database.prepare(deliver),
  delete: database.prepare("DELETE FROM message WHERE sequence = ? AND queue = ? AND receipt = ?"),
  changeVisibility: database.prepare(
    "UPDATE message SET visible_at = ? WHERE sequence = ? AND queue = ? AND receipt = ?",
  ),
  releaseInFlight: database.prepare(
    "UPDATE message SET visible_at = :now WHERE queue = :queue AND visible_at > :now AND receipt IS NOT NULL",
  ),
  dropExpired: database.prepare("DELETE FROM message WHERE queue = ? AND sent_at <= ?"),
  moveToDeadLetterQueue: database.prepare(moveToDeadLetterQueue),
  count: database.prepare(countMessages),
  nextVisible: database.prepare(
    "SELECT min(visible_at) AS at FROM message WHERE queue = ? AND visible_at > ?",
  ),
  forgetDeduplication: database.prepare("DELETE FROM deduplication WHERE sent_at <= ?"),
  findDuplicate: database.prepare(
    "SELECT message_id AS id, sequence FROM deduplication WHERE queue = ? AND scope = ? AND deduplication_id = ?",
  ),
  rememberDeduplication: database.prepare("INSERT INTO deduplication VALUES (?, ?, ?, ?, ?, ?)"),
});

export type MessageStatements = ReturnType<typeof prepareMessageStatements>;
