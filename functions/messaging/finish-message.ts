import { createHash } from "node:crypto";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { messagingKeys } from "../../shared/messaging/keys.ts";
import type { TranslationFeedback } from "../../shared/messaging/translation-feedback.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import type { ItemKey, Table, TableWrite } from "../../shared/platform/storage/table.ts";
import { type Conversation, rememberedSeconds } from "./conversation.ts";
import { type Attempt, LeaseLost, ownLease, type Progress } from "./message-records.ts";
import type { KnownPerson } from "./person.ts";
import type { Changes, Feedback } from "./plan.ts";

/** What to store when a message is done. */
export interface MessageResult {
  readonly person: KnownPerson;
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

/** The conversation, which names the person's other identifiers. */
const writeConversation = (
  { id, others }: KnownPerson,
  conversation: Conversation,
  at: string,
  now: number,
): TableWrite =>
  put(
    messagingKeys.conversation(id),
    { ...conversation, ...(others.length > 0 ? { phones: others } : {}), updated_at: at },
    now,
  );

/**
 * Lets identifiers lead to the person, and removes what was stored under them before. A link that was not used for 90 days expires,
 * because operators assign numbers again; that of a person who said STOP does not.
 */
const writeLinks = (
  { id, absorbed }: KnownPerson,
  names: ReadonlySet<string>,
  isStopped: boolean,
  now: number,
): TableWrite[] => [
  ...[...names].map((name): TableWrite => {
    const key = messagingKeys.alias(name);
    return isStopped ? { put: { ...key, alias_of: id } } : put(key, { alias_of: id }, now);
  }),
  ...absorbed.flatMap((name): TableWrite[] => [
    { delete: messagingKeys.conversation(name) },
    { delete: messagingKeys.stopped(name) },
  ]),
];

/** The translation does not name its person; an item of the person's leads to it, so it can be deleted with the others. */
const writeTranslation = (
  person: KnownPerson,
  { sender, id }: InboundMessage,
  translation: TranslationFeedback,
  at: string,
  now: number,
): TableWrite[] => {
  const digest = createHash("sha256").update(`${sender} ${id}`).digest("hex").slice(0, 16);
  const name = { month: at.slice(0, 7), id: `${at}-${digest}` };
  return [
    put(messagingKeys.translation(person.id, name), { at }, now, translationSeconds),
    put(messagingKeys.translationFeedback(name), { ...translation, consent_at: at }, now, translationSeconds),
  ];
};

const writeStop = ({ id, others }: KnownPerson, stoppedAt: string | undefined): TableWrite => {
  const key = messagingKeys.stopped(id);
  // Without an expiry: it applies until START.
  return stoppedAt === undefined
    ? { delete: key }
    : { put: { ...key, stopped_at: stoppedAt, ...(others.length > 0 ? { phones: others } : {}) } };
};

const stopAfter = (
  { stoppedAt }: KnownPerson,
  stopped: boolean | undefined,
  at: string,
): string | undefined => (stopped === undefined ? stoppedAt : stopped ? at : undefined);

/**
 * Closes the record of a message, removes all text from it, and stores what to remember, in one transaction. Access patterns M1 to M7
 * of the README in `shared/messaging`.
 */
export const createFinishMessage =
  (table: Table): FinishMessage =>
  async (message, attempt, { person, conversation, feedback, translation, stopped, progress }) => {
    const now = Date.now();
    const at = new Date(now).toISOString();
    const { id, unlinked, absorbed } = person;
    const isJoined = unlinked.length + absorbed.length > 0;
    const stoppedAt = stopAfter(person, stopped, at);
    const used = conversation ? [message.sender, message.phone ?? id] : [];
    // STOP and START change when links expire.
    const changed = stopped === undefined ? unlinked : person.others;
    const names = new Set([...changed, ...used].filter((name) => name !== id));
    const { applied } = await table.transact([
      closeRecord(message, attempt, progress, at),
      ...(conversation ? [writeConversation(person, conversation, at, now)] : []),
      ...writeLinks(person, names, stoppedAt !== undefined, now),
      ...(feedback ? [put(messagingKeys.feedback(id, message.id), { ...feedback, at }, now)] : []),
      ...(translation ? writeTranslation(person, message, translation, at, now) : []),
      ...(stopped === undefined && !(isJoined && stoppedAt) ? [] : [writeStop(person, stoppedAt)]),
    ]);
    if (!applied) throw new LeaseLost();
  };
