import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { type Conversation, initialSettings, withExchange } from "./conversation.ts";
import type { Progress } from "./message-records.ts";
import type { Changes } from "./plan.ts";

export const newConversation: Conversation = { settings: initialSettings, exchanges: [], note: "" };

/** Returns the value after a change: `null` removes it, `undefined` changes nothing. */
const afterChange = <Value>(known: Value | undefined, change: Value | null | undefined): Value | undefined =>
  change === undefined ? known : (change ?? undefined);

/** What other items than the conversation are for. */
const elsewhere: readonly string[] = ["feedback", "translation", "stopped", "forgets"];

const changesConversation = (changes: Changes): boolean =>
  Object.entries(changes).some(([name, change]) => change !== undefined && !elsewhere.includes(name));

/** Returns the conversation after the message; `undefined` when the message changes nothing. */
export const conversationAfter = (
  before: Conversation,
  { changes = {}, replies }: Pick<Progress, "changes" | "replies">,
): Conversation | undefined => {
  if (!changesConversation(changes)) return undefined;
  const { exchange } = changes;
  const changed = {
    ...before,
    settings: changes.settings ?? before.settings,
    writes_in: changes.writes_in ?? before.writes_in,
    consent: changes.consent ?? before.consent,
    long_recording: afterChange(before.long_recording, changes.long_recording),
    waiting_result: afterChange(before.waiting_result, changes.waiting_result),
    open_question: afterChange(before.open_question, changes.open_question),
  };
  return exchange ? withExchange(changed, { ...exchange, replies: [...replies] }) : changed;
};

/** Returns the conversation with the time of a person's message. */
export const withMessageTime = (conversation: Conversation, { sentAt }: InboundMessage): Conversation => ({
  ...conversation,
  last_message_at: sentAt ?? Math.floor(Date.now() / 1_000),
});
