import { createHash } from "node:crypto";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { messagingKeys } from "../../shared/messaging/keys.ts";
import type { TranslationFeedback } from "../../shared/messaging/translation-feedback.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import type { ItemKey, Table, TableWrite, WriteCondition } from "../../shared/platform/storage/table.ts";
import { type Conversation, rememberedSeconds } from "./conversation.ts";
import { type Attempt, LeaseLost, ownLease, type Progress, RetryLater } from "./message-records.ts";
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

/** @throws LeaseLost; RetryLater when a message under another identifier has changed what is stored about the person */
export type FinishMessage = (
  message: InboundMessage,
  attempt: Attempt,
  result: MessageResult,
) => Promise<void>;

/** The question of the assistant names this time. */
const translationSeconds = 365 * daySeconds;

/** Returns the write of an item that expires. */
const put = (
  key: ItemKey,
  attributes: object,
  now: number,
  seconds = rememberedSeconds,
): Extract<TableWrite, { readonly put: unknown }> => ({
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

/** The condition that an item is still as it was read. */
const unchanged = (attribute: string, version: string | undefined): WriteCondition =>
  version === undefined
    ? { ConditionExpression: "attribute_not_exists(PK)" }
    : { ConditionExpression: `${attribute} = :version`, ExpressionAttributeValues: { ":version": version } };

const unchangedConversation = ({ versions }: KnownPerson, name: string): WriteCondition =>
  unchanged("updated_at", versions.get(name)?.conversation);

const unchangedStop = ({ versions }: KnownPerson, name: string): WriteCondition =>
  unchanged("stopped_at", versions.get(name)?.stop);

/** The conversation, which names the person's other identifiers. */
const writeConversation = (
  person: KnownPerson,
  conversation: Conversation,
  at: string,
  now: number,
): TableWrite => {
  const { id, others } = person;
  const attributes = { ...conversation, ...(others.length > 0 ? { phones: others } : {}), updated_at: at };
  return {
    ...put(messagingKeys.conversation(id), attributes, now),
    condition: unchangedConversation(person, id),
  };
};

/**
 * Lets identifiers lead to the person, and removes what was stored under them before. A link that was not used for 90 days expires,
 * because operators assign numbers again; that of a person who said STOP does not.
 */
const writeLinks = (
  person: KnownPerson,
  names: ReadonlySet<string>,
  isStopped: boolean,
  now: number,
): TableWrite[] => [
  ...[...names].map((name): TableWrite => {
    const key = messagingKeys.alias(name);
    return isStopped ? { put: { ...key, alias_of: person.id } } : put(key, { alias_of: person.id }, now);
  }),
  ...person.absorbed.flatMap((name): TableWrite[] => [
    { delete: messagingKeys.conversation(name), condition: unchangedConversation(person, name) },
    { delete: messagingKeys.stopped(name), condition: unchangedStop(person, name) },
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

const writeStop = (person: KnownPerson, stoppedAt: string | undefined): TableWrite => {
  const { id, others } = person;
  const key = messagingKeys.stopped(id);
  const condition = unchangedStop(person, id);
  // Without an expiry: it applies until START.
  return stoppedAt === undefined
    ? { delete: key, condition }
    : { put: { ...key, stopped_at: stoppedAt, ...(others.length > 0 ? { phones: others } : {}) }, condition };
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
    const { applied, failures } = await table.transact([
      closeRecord(message, attempt, progress, at),
      ...(conversation ? [writeConversation(person, conversation, at, now)] : []),
      ...writeLinks(person, names, stoppedAt !== undefined, now),
      ...(feedback ? [put(messagingKeys.feedback(id, message.id), { ...feedback, at }, now)] : []),
      ...(translation ? writeTranslation(person, message, translation, at, now) : []),
      ...(stopped === undefined && !(isJoined && stoppedAt) ? [] : [writeStop(person, stoppedAt)]),
    ]);
    if (applied) return;
    if (failures[0]) throw new LeaseLost();
    throw new RetryLater(1, "Another message has changed what is stored about its person.");
  };
