import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { isStop } from "./consent.ts";
import { readStart } from "./control-phrases.ts";
import type { Conversation } from "./conversation.ts";
import type { Attempt } from "./message-records.ts";
import { judgePace, type PaceVerdict } from "./pace.ts";

/** What to do with a message: as of the pace, or reply without counting it, or send nothing because the person said STOP. */
export type MessageVerdict = PaceVerdict | { readonly kind: "uncounted" } | { readonly kind: "stopped" };

const isStart = ({ content }: InboundMessage): boolean =>
  content.type === "text" && readStart(content.text) !== undefined;

/**
 * Judges a message. STOP and START are not counted, so they also work for a person who writes too fast; dead-lettered messages and
 * those of voice notes whose transcript has arrived were counted before.
 */
export const judgeMessage = (
  message: InboundMessage,
  { isDeadLettered }: Pick<Attempt, "isDeadLettered">,
  conversation: Conversation,
  isStopped: boolean,
): MessageVerdict => {
  if (isStopped) return { kind: isStart(message) ? "uncounted" : "stopped" };
  const { content, sentAt } = message;
  return isDeadLettered ||
    content.type === "transcript" ||
    content.type === "identity" ||
    isStop(message, conversation)
    ? { kind: "uncounted" }
    : judgePace(conversation.pace, sentAt ?? Math.floor(Date.now() / 1_000));
};
