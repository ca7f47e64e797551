import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { InboundMessage } from "../../../shared/messaging/inbound-message.ts";
import { messagingKeys } from "../../../shared/messaging/keys.ts";
import type { Table } from "../../../shared/storage/table.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Feedback } from "../plan.ts";
import { LostClaim } from "./faults.ts";
import type { Progress } from "./message-record.ts";
import { type Attempt, ownClaim } from "./message-records.ts";

/** What stays when a message is done with. */
export interface Outcome {
  /** `undefined` when nothing of it has changed. */
  readonly conversation: Conversation | undefined;
  readonly feedback: Feedback | undefined;
  readonly progress: Progress;
}

/** Closes a message. @throws LostClaim */
export type FinishMessage = (message: InboundMessage, attempt: Attempt, outcome: Outcome) => Promise<void>;

/**
 * Closes the record of a message, in which nobody's words stay, and writes what is to be remembered: all of it or nothing.
 * Access patterns M1 to M4 of the README in `shared/messaging`.
 */
export const createFinishMessage =
  ({ client, name: TableName }: Table): FinishMessage =>
  async (message, attempt, { conversation, feedback, progress }) => {
    const { id, phone, sender } = message;
    const at = new Date().toISOString();
    const put = (key: Readonly<Record<string, string>>, attributes: object) => ({
      Put: { TableName, Item: { ...key, ...attributes } },
    });
    const alias = conversation && phone !== sender ? phone : undefined;
    const { condition, values } = ownClaim(attempt);
    const close = {
      Update: {
        TableName,
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
      },
    };
    try {
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            close,
            ...(conversation
              ? [put(messagingKeys.conversation(sender), { ...conversation, updated_at: at })]
              : []),
            ...(alias === undefined ? [] : [put(messagingKeys.alias(alias), { alias_of: sender })]),
            ...(feedback ? [put(messagingKeys.feedback(sender, id), { ...feedback, at })] : []),
          ],
        }),
      );
    } catch (error) {
      const isLost =
        error instanceof TransactionCanceledException &&
        error.CancellationReasons?.[0]?.Code === "ConditionalCheckFailed";
      throw isLost ? new LostClaim({ cause: error }) : error;
    }
  };
