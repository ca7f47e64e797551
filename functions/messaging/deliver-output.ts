import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { writeReference } from "../../shared/messaging/send-receipt.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import type { LongRecordings } from "./long-recordings.ts";
import type { Content, MessagingPlatform, Recipient, SendOutcome } from "./messaging-platform.ts";
import type { Output, SpeechOutput, TranscriptOutput } from "./plan.ts";
import type { VoiceNotes } from "./voice-notes.ts";
import { wording } from "./wording.ts";

/** What delivering an answer touches. */
export interface DeliveryDependencies {
  readonly platform: MessagingPlatform;
  readonly voiceNotes: VoiceNotes;
  readonly longRecordings: Pick<LongRecordings, "outcomeOf">;
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

/** What nobody will ever get: the transcript was cleared away, as when its owner is forgotten. */
const nothingLeft: SendOutcome = { kind: "refused", reason: "unreachable", code: -1 };

/** A file that the platform does not take now is sent later: what was said is nowhere else. */
const uploadedLater: SendOutcome = { kind: "postponed", seconds: 30, code: -1 };

/** A transcript as a text file, or what is to become of it when there is none. */
const documentOf = async (
  { jobId, caption }: TranscriptOutput,
  recipient: Recipient,
  { platform, longRecordings }: DeliveryDependencies,
  signal: AbortSignal,
): Promise<Content | SendOutcome> => {
  const outcome = await longRecordings.outcomeOf(jobId);
  if (outcome?.kind !== "transcribed") return nothingLeft;
  const fileName = "transcript.txt";
  const file = { bytes: Buffer.from(`${outcome.text}\n`), contentType: "text/plain", fileName };
  try {
    const mediaId = await platform.upload(recipient, file, { signal });
    return { kind: "document", mediaId, fileName, caption };
  } catch (error) {
    logger.warn("transcript.not_uploaded", { reason: describeError(error) });
    return uploadedLater;
  }
};

const contentOf = async (
  output: Output,
  recipient: Recipient,
  dependencies: DeliveryDependencies,
  signal: AbortSignal,
): Promise<Content | SendOutcome> => {
  if (output.kind === "speech") return voiceOf(output, recipient, dependencies, signal);
  return output.kind === "transcript" ? documentOf(output, recipient, dependencies, signal) : output;
};

const isOutcome = (content: Content | SendOutcome): content is SendOutcome =>
  content.kind === "refused" || content.kind === "postponed";

/** Sends one of the answers to a message, by its number among them. */
export const deliverOutput = async (
  message: InboundMessage,
  output: Output,
  index: number,
  dependencies: DeliveryDependencies,
  signal: AbortSignal,
): Promise<SendOutcome> => {
  const recipient = recipientOf(message);
  const content = await contentOf(output, recipient, dependencies, signal);
  if (isOutcome(content)) return content;
  const quoting = "quoting" in output ? output.quoting : undefined;
  const reference = writeReference({ sender: message.sender, messageId: message.id, index });
  const outcome = await dependencies.platform.send(recipient, content, { quoting, reference });
  const isRefused = outcome.kind === "refused" && outcome.reason === "content";
  if (!isRefused || quoting === undefined) return outcome;
  // A message that was deleted meanwhile cannot be quoted.
  return dependencies.platform.send(recipient, content, { quoting: undefined, reference });
};
