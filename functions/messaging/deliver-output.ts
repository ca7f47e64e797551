import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { writeReference } from "../../shared/messaging/send-receipt.ts";
import { describeError, logger } from "../../shared/telemetry/logger.ts";
import type { Content, MessagingPlatform, Recipient, SendOutcome } from "./messaging-platform.ts";
import type { Output, SpeechOutput } from "./plan.ts";
import type { VoiceNotes } from "./voice-notes.ts";
import { wording } from "./wording.ts";

/** What delivering an answer touches. */
export interface DeliveryDependencies {
  readonly platform: MessagingPlatform;
  readonly voiceNotes: VoiceNotes;
}

/** Whom an answer to a message goes to. */
const recipientOf = ({ phoneNumberId, phone, sender }: InboundMessage): Recipient => ({
  phoneNumberId,
  phone,
  sender,
});

/** A voice note, or the sentence that says why there is none: the text it would have spoken was sent before. */
const voiceOf = async (
  { text, language }: SpeechOutput,
  recipient: Recipient,
  { platform, voiceNotes }: DeliveryDependencies,
  signal: AbortSignal,
): Promise<Content> => {
  try {
    const note = await voiceNotes.make(text, language, { signal });
    return { kind: "audio", mediaId: await platform.upload(recipient, note, { signal }) };
  } catch (error) {
    logger.warn("voice.not_made", { reason: describeError(error) });
    return { kind: "text", text: wording.voiceFailed };
  }
};

/** Sends one of the answers to a message, by its number among them. */
export const deliverOutput = async (
  message: InboundMessage,
  output: Output,
  index: number,
  dependencies: DeliveryDependencies,
  signal: AbortSignal,
): Promise<SendOutcome> => {
  const recipient = recipientOf(message);
  const content = output.kind === "speech" ? await voiceOf(output, recipient, dependencies, signal) : output;
  const quoting = output.kind === "text" ? output.quoting : undefined;
  const reference = writeReference({ sender: message.sender, messageId: message.id, index });
  const outcome = await dependencies.platform.send(recipient, content, { quoting, reference });
  const isRefused = outcome.kind === "refused" && outcome.reason === "content";
  if (!isRefused || quoting === undefined) return outcome;
  // A message that was deleted meanwhile cannot be quoted.
  return dependencies.platform.send(recipient, content, { quoting: undefined, reference });
};
