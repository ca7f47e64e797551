import * as z from "zod";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { messagingKeys } from "../../shared/messaging/keys.ts";
import { sendReceipt } from "../../shared/messaging/send-receipt.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import type { ItemKey, Table } from "../../shared/platform/storage/table.ts";
import { type Conversation, rememberedSeconds } from "./conversation.ts";
import { changes, type Feedback, output } from "./plan.ts";

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
const ownLease = (attempt: Attempt) => ({
  condition: "claimed_by = :owner AND receive_count = :count AND attribute_not_exists(done_at)",
  values: { ":owner": ownerOf(attempt), ":count": attempt.receiveCount },
});

/** The records of messages in the table. */
export type MessageRecords = ReturnType<typeof createMessageRecords>;

/**
 * Creates the repository of message records; access pattern M2 of the README in `shared/messaging`. All writes of an attempt require
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
  };
};

/** What to store when a message is done. */
export interface MessageResult {
  /** `undefined` when it has not changed. */
  readonly conversation: Conversation | undefined;
  readonly feedback: Feedback | undefined;
  readonly progress: Progress;
}

/** @throws LeaseLost */
export type FinishMessage = (
  message: InboundMessage,
  attempt: Attempt,
  result: MessageResult,
) => Promise<void>;

/**
 * Closes the record of a message, removes all text from it, and stores what to remember, in one transaction. Access patterns M1 to M4
 * of the README in `shared/messaging`.
 */
export const createFinishMessage =
  (table: Table): FinishMessage =>
  async (message, attempt, { conversation, feedback, progress }) => {
    const { id, phone, sender } = message;
    const now = Date.now();
    const at = new Date(now).toISOString();
    const remember = (key: ItemKey, attributes: object) => ({
      put: { ...key, ...attributes, expires_at: Math.floor(now / 1_000) + rememberedSeconds },
    });
    const alias = conversation && phone !== sender ? phone : undefined;
    const { condition, values } = ownLease(attempt);
    const update = {
      Key: messagingKeys.message(sender, id),
      UpdateExpression:
        "SET done_at = :at, replies = :replies, refusals = :refusals " +
        "REMOVE outputs, changes, settled, sending_since, lease_until",
      ConditionExpression: condition,
      ExpressionAttributeValues: {
        ...values,
        ":at": at,
        ":replies": progress.replies,
        ":refusals": progress.refusals,
      },
    };
    const { applied } = await table.transact([
      { update },
      ...(conversation
        ? [remember(messagingKeys.conversation(sender), { ...conversation, updated_at: at })]
        : []),
      ...(alias === undefined ? [] : [remember(messagingKeys.alias(alias), { alias_of: sender })]),
      ...(feedback ? [remember(messagingKeys.feedback(sender, id), { ...feedback, at })] : []),
    ]);
    if (!applied) throw new LeaseLost();
  };
