import { createHash } from "node:crypto";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { messagingKeys } from "../../shared/messaging/keys.ts";
import type { TranslationFeedback } from "../../shared/messaging/translation-feedback.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import type { ItemKey, Table, TableWrite } from "../../shared/platform/storage/table.ts";
import { type Conversation, rememberedSeconds } from "./conversation.ts";
import { type Attempt, LeaseLost, ownLease, type Progress } from "./message-records.ts";
import type { Changes, Feedback } from "./plan.ts";

/** What to store when a message is done. */
export interface MessageResult {
  /** `undefined` when it has not changed. */
  readonly conversation: Conversation | undefined;
  readonly feedback: Feedback | undefined;
  /** Present only with the person's consent. */
  readonly translation?: TranslationFeedback | undefined;
  /** Whether the person said STOP or START; `undefined` for other messages. */
  readonly stopped?: Changes["stopped"];
  readonly progress: Progress;
}

/** @throws LeaseLost */
export type FinishMessage = (
  message: InboundMessage,
  attempt: Attempt,
  result: MessageResult,
) => Promise<void>;

/** The question of the assistant names this time. */
const translationSeconds = 365 * daySeconds;

/** Returns the write of an item that expires. */
const put = (key: ItemKey, attributes: object, now: number, seconds = rememberedSeconds): TableWrite => ({
  put: { ...key, ...attributes, expires_at: Math.floor(now / 1_000) + seconds },
});

const closeRecord = (
  { sender, id }: InboundMessage,
  attempt: Attempt,
  { replies, refusals }: Progress,
  at: string,
): TableWrite => {
  const { condition, values } = ownLease(attempt);
  return {
    update: {
      Key: messagingKeys.message(sender, id),
      UpdateExpression:
        "SET done_at = :at, replies = :replies, refusals = :refusals " +
        "REMOVE outputs, changes, settled, sending_since, lease_until",
      ConditionExpression: condition,
      ExpressionAttributeValues: { ...values, ":at": at, ":replies": replies, ":refusals": refusals },
    },
  };
};

/** The conversation, and what leads to it from the phone number of a person with a user id. */
const writeConversation = (
  { sender, phone = sender }: InboundMessage,
  conversation: Conversation,
  at: string,
  now: number,
): TableWrite[] => {
  const phones = [...new Set([...(conversation.phones ?? []), phone])];
  const known = phone === sender ? conversation : { ...conversation, phones };
  return [
    put(messagingKeys.conversation(sender), { ...known, updated_at: at }, now),
    ...(phone === sender ? [] : [put(messagingKeys.alias(phone), { alias_of: sender }, now)]),
  ];
};

/** The translation does not name its person; an item of the person's leads to it, so it can be deleted with the others. */
const writeTranslation = (
  { sender, id }: InboundMessage,
  translation: TranslationFeedback,
  at: string,
  now: number,
): TableWrite[] => {
  const digest = createHash("sha256").update(`${sender} ${id}`).digest("hex").slice(0, 16);
  const name = { month: at.slice(0, 7), id: `${at}-${digest}` };
  return [
    put(messagingKeys.translation(sender, name), { at }, now, translationSeconds),
    put(messagingKeys.translationFeedback(name), { ...translation, consent_at: at }, now, translationSeconds),
  ];
};

const writeStop = ({ sender }: InboundMessage, stopped: boolean, at: string): TableWrite => {
  const key = messagingKeys.stopped(sender);
  // Without an expiry: it applies until START.
  return stopped ? { put: { ...key, stopped_at: at } } : { delete: key };
};

/**
 * Closes the record of a message, removes all text from it, and stores what to remember, in one transaction. Access patterns M1 to M7
 * of the README in `shared/messaging`.
 */
export const createFinishMessage =
  (table: Table): FinishMessage =>
  async (message, attempt, { conversation, feedback, translation, stopped, progress }) => {
    const now = Date.now();
    const at = new Date(now).toISOString();
    const { applied } = await table.transact([
      closeRecord(message, attempt, progress, at),
      ...(conversation ? writeConversation(message, conversation, at, now) : []),
      ...(feedback
        ? [put(messagingKeys.feedback(message.sender, message.id), { ...feedback, at }, now)]
        : []),
      ...(translation ? writeTranslation(message, translation, at, now) : []),
      ...(stopped === undefined ? [] : [writeStop(message, stopped, at)]),
    ]);
    if (!applied) throw new LeaseLost();
  };
