import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { InboundMessage } from "../../../shared/messaging/inbound-message.ts";
import { messagingKeys } from "../../../shared/messaging/keys.ts";
import type { Table } from "../../../shared/storage/table.ts";
import { LostClaim } from "./faults.ts";
import { type MessageRecord, messageRecord, type Progress } from "./message-record.ts";

/** One try at a message. */
export interface Attempt {
  /** The id under which the message is in the queue. */
  readonly queueMessageId: string;
  /** How often the queue has handed it out. A later try may take over from an earlier one, which must be over. */
  readonly receiveCount: number;
  /** The message was set aside: whoever had it before is not coming back. */
  readonly isLastResort: boolean;
  /** How long this try can take. */
  readonly milliseconds: number;
}

/** What a claim finds: the work to be done, or that somebody has done it or is at it. */
export type Claim =
  | { readonly kind: "claimed"; readonly record: MessageRecord }
  | { readonly kind: "done" }
  | { readonly kind: "held"; readonly secondsLeft: number };

/** The platform delivers a message again for up to 7 days. */
const keptSeconds = 8 * 24 * 60 * 60;

/** What an error carries is in DynamoDB's own notation: the document client leaves errors alone. */
const heldItem = z.object({
  done_at: z.object({ S: z.string() }).optional(),
  lease_until: z.object({ N: z.coerce.number() }).optional(),
});

const ownerOf = ({ queueMessageId, isLastResort }: Attempt): string =>
  isLastResort ? `set-aside:${queueMessageId}` : queueMessageId;

/** The condition that a message is still this try's. */
export const ownClaim = (attempt: Attempt) => ({
  condition: "claimed_by = :owner AND receive_count = :count AND attribute_not_exists(done_at)",
  values: { ":owner": ownerOf(attempt), ":count": attempt.receiveCount },
});

/** The records of messages in the table. */
export type MessageRecords = ReturnType<typeof createMessageRecords>;

/**
 * The repository of message records; access pattern M2 of the README in `shared/messaging`.
 *
 * All writes of a try are conditional on its claim, so that a try that is over, but does not know it, changes nothing.
 */
export const createMessageRecords = ({ client, name: TableName }: Table) => {
  const keyOf = ({ sender, id }: InboundMessage) => messagingKeys.message(sender, id);

  return {
    /** Takes on a message, unless it is done with or another try is at it. */
    claim: async (message: InboundMessage, attempt: Attempt): Promise<Claim> => {
      const now = Date.now();
      const takeOver = attempt.isLastResort
        ? "attribute_not_exists(done_at)"
        : "attribute_not_exists(done_at) AND (lease_until < :now OR (claimed_by = :owner AND receive_count < :count))";
      try {
        const { Attributes } = await client.send(
          new UpdateCommand({
            TableName,
            Key: keyOf(message),
            UpdateExpression:
              "SET claimed_by = :owner, receive_count = :count, lease_until = :lease, expires_at = :expiry, " +
              "receipts = if_not_exists(receipts, :none)",
            ConditionExpression: `attribute_not_exists(PK) OR (${takeOver})`,
            ExpressionAttributeValues: {
              ":owner": ownerOf(attempt),
              ":count": attempt.receiveCount,
              ":lease": now + attempt.milliseconds,
              ":expiry": Math.floor(now / 1_000) + keptSeconds,
              ":none": {},
              ...(attempt.isLastResort ? {} : { ":now": now }),
            },
            ReturnValues: "ALL_NEW",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        );
        return { kind: "claimed", record: messageRecord.parse(Attributes) };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        const { done_at, lease_until } = heldItem.parse(error.Item ?? {});
        if (done_at) return { kind: "done" };
        return { kind: "held", secondsLeft: Math.ceil(((lease_until?.N ?? now) - now) / 1_000) };
      }
    },

    /** The receipts that have come for a message. */
    receipts: async (message: InboundMessage): Promise<MessageRecord["receipts"]> => {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: keyOf(message), ConsistentRead: true }),
      );
      return messageRecord.parse(Item ?? {}).receipts;
    },

    /** @throws LostClaim */
    save: async (message: InboundMessage, attempt: Attempt, progress: Progress): Promise<void> => {
      const { condition, values } = ownClaim(attempt);
      const fields = Object.entries(progress).filter(([, value]) => value !== undefined);
      const absent = progress.sending_since === undefined ? " REMOVE sending_since" : "";
      try {
        await client.send(
          new UpdateCommand({
            TableName,
            Key: keyOf(message),
            UpdateExpression: `SET ${fields.map(([name]) => `#${name} = :${name}`).join(", ")}${absent}`,
            ConditionExpression: condition,
            ExpressionAttributeNames: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
            ExpressionAttributeValues: {
              ...values,
              ...Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
            },
          }),
        );
      } catch (error) {
        throw error instanceof ConditionalCheckFailedException ? new LostClaim({ cause: error }) : error;
      }
    },
  };
};
