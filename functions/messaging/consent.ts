import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import type { Conversation } from "./conversation.ts";
import { readCommand } from "./read-command.ts";

/**
 * The version of what the assistant says about the data that it stores (`consent` of the wording). Change it with what is stored, or
 * for how long: everyone who writes gets the new text once.
 */
export const consentVersion = "2026-11-24";

/** The consent that a person grants at this time by writing on. */
export const consentOf = (milliseconds: number): NonNullable<Conversation["consent"]> => ({
  version: consentVersion,
  at: new Date(milliseconds).toISOString(),
});

/** Whether the message stops the assistant. */
export const isStop = ({ content }: InboundMessage, { settings }: Conversation): boolean =>
  content.type === "text" && readCommand(content.text, settings.mode)?.kind === "stop";

/** Whether the reply to this message starts with what we store. The confirmation of STOP is all that STOP gets. */
export const needsConsent = (message: InboundMessage, conversation: Conversation): boolean =>
  conversation.consent?.version !== consentVersion && !isStop(message, conversation);
