import { createHash } from "node:crypto";
import * as z from "zod";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { messagingKeys } from "../../shared/messaging/keys.ts";
import { sendReceipt } from "../../shared/messaging/send-receipt.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { changes, output } from "./plan.ts";

/** The progress of the work on a message. */
export const messageRecord = z.object({
  /** The messages of the reply, in order. More can follow until there are `changes`. */
  outputs: z.array(output).default([]),
  /** What to remember. Present once the whole reply is planned. */
  changes: changes.optional(),
  /** How many outputs are finished: accepted by the platform, or refused for good. */
  settled: z.int().default(0),
  /** Unix milliseconds. Since then the next output may have been sent. */
  sending_since: z.int().optional(),
  /** The platform's ids of accepted outputs. */
  replies: z.array(z.string()).default([]),
  /** The platform's codes of refused outputs. */
  refusals: z.array(z.int()).default([]),
  /** The platform's reports, by the index of the output. */
  receipts: z.record(z.string(), sendReceipt).default({}),
});
export type MessageRecord = z.infer<typeof messageRecord>;

/** The part of a record that changes while the reply is sent. */
export type Progress = Omit<MessageRecord, "receipts">;

/** The message cannot be finished now. Nothing is lost; try again after this many seconds. */
export class RetryLater extends Error {
  override readonly name = "RetryLater";
  readonly seconds: number;

  constructor(seconds: number, reason: string) {
    super(reason);
    this.seconds = seconds;
  }
}

/** Another attempt has taken over, or the person was forgotten: there is nothing more to do. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";

  constructor() {
    super("The message is no longer this worker's.");
  }
}

/** One attempt at a message. */
export interface Attempt {
  /** The queue's id of the message. */
  readonly queueMessageId: string;
  /** Deliveries by the queue. A later attempt may take over from an earlier one, which must have ended. */
  readonly receiveCount: number;
  /** The message is from the dead-letter queue, so all earlier attempts have ended. */
  readonly isDeadLettered: boolean;
  /** How long this attempt can take. */
  readonly milliseconds: number;
}

/** The result of a claim: the record, or that the message is done or another worker has it. */
export type Claim =
  | { readonly kind: "claimed"; readonly record: MessageRecord }
  | { readonly kind: "done" }
  | { readonly kind: "held"; readonly secondsLeft: number };

/** The platform can deliver a message again for up to 7 days. */
const retentionSeconds = 8 * daySeconds;

const heldItem = z.object({ done_at: z.string().optional(), lease_until: z.number().optional() });

const ownerOf = ({ queueMessageId, isDeadLettered }: Attempt): string =>
  isDeadLettered ? `dead-lettered:${queueMessageId}` : queueMessageId;

/** The condition that this attempt still has the message. */
export const ownLease = (attempt: Attempt) => ({
  condition: "claimed_by = :owner AND receive_count = :count AND attribute_not_exists(done_at)",
  values: { ":owner": ownerOf(attempt), ":count": attempt.receiveCount },
});

/** No one can compute it without the platform's id of the message, which is random. */
const forgottenKey = ({ sender, id }: InboundMessage) =>
  messagingKeys.forgotten(createHash("sha256").update(`${sender} ${id}`).digest("hex"));

/** The records of messages in the table. */
export type MessageRecords = ReturnType<typeof createMessageRecords>;

/**
 * Creates the repository of message records; access patterns M2 and M8 of the README in `shared/messaging`. All writes of an attempt require
 * its claim, so an attempt that has been replaced changes nothing.
 */
export const createMessageRecords = (table: Table) => {
  const keyOf = ({ sender, id }: InboundMessage) => messagingKeys.message(sender, id);

  return {
    /** Claims a message, unless it is done or another attempt has it. */
    claim: async (message: InboundMessage, attempt: Attempt): Promise<Claim> => {
      const now = Date.now();
      const takeOver = attempt.isDeadLettered
        ? "attribute_not_exists(done_at)"
        : "attribute_not_exists(done_at) AND (lease_until < :now OR (claimed_by = :owner AND receive_count < :count))";
      const { applied, item } = await table.update({
        Key: keyOf(message),
        UpdateExpression:
          "SET claimed_by = :owner, receive_count = :count, lease_until = :lease, expires_at = :expiry, " +
          "receipts = if_not_exists(receipts, :none)",
        ConditionExpression: `attribute_not_exists(PK) OR (${takeOver})`,
        ExpressionAttributeValues: {
          ":owner": ownerOf(attempt),
          ":count": attempt.receiveCount,
          ":lease": now + attempt.milliseconds,
          ":expiry": Math.floor(now / 1_000) + retentionSeconds,
          ":none": {},
          ...(attempt.isDeadLettered ? {} : { ":now": now }),
        },
      });
      if (applied) return { kind: "claimed", record: messageRecord.parse(item) };
      const { done_at, lease_until = now } = heldItem.parse(item);
      if (done_at) return { kind: "done" };
      return { kind: "held", secondsLeft: Math.ceil((lease_until - now) / 1_000) };
    },

    receipts: async (message: InboundMessage): Promise<MessageRecord["receipts"]> =>
      messageRecord.parse((await table.read({ Key: keyOf(message) })) ?? {}).receipts,

    /** @throws LeaseLost */
    save: async (message: InboundMessage, attempt: Attempt, progress: Progress): Promise<void> => {
      const { condition, values } = ownLease(attempt);
      const fields = Object.entries(progress).filter(([, value]) => value !== undefined);
      const absent = progress.sending_since === undefined ? " REMOVE sending_since" : "";
      const { applied } = await table.update({
        Key: keyOf(message),
        UpdateExpression: `SET ${fields.map(([name]) => `#${name} = :${name}`).join(", ")}${absent}`,
        ConditionExpression: condition,
        ExpressionAttributeNames: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
        ExpressionAttributeValues: {
          ...values,
          ...Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
        },
      });
      if (!applied) throw new LeaseLost();
    },

    /** Whether this message was the last one of a person who was then forgotten. */
    isForgotten: async (message: InboundMessage): Promise<boolean> =>
      (await table.read({ Key: forgottenKey(message) })) !== undefined,

    /**
     * Closes the record of a message of which nothing may remain. A mark without the person's number stays, so another delivery of the
     * message by the platform gets no reply. @throws LeaseLost
     */
    erase: async (message: InboundMessage, attempt: Attempt): Promise<void> => {
      const { condition, values } = ownLease(attempt);
      const { applied } = await table.transact([
        {
          delete: keyOf(message),
          condition: { ConditionExpression: condition, ExpressionAttributeValues: values },
        },
        { put: { ...forgottenKey(message), expires_at: Math.floor(Date.now() / 1_000) + retentionSeconds } },
      ]);
      if (!applied) throw new LeaseLost();
    },
  };
};
