import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { writeReference } from "../../shared/messaging/send-receipt.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import type { LongRecordings } from "./long-recordings.ts";
import type { Content, MessagingPlatform, Recipient, SendOutcome } from "./messaging-platform.ts";
import type { Output, SpeechOutput, TranscriptOutput } from "./plan.ts";
import type { VoiceNotes } from "./voice-notes.ts";
import { wording } from "./wording.ts";

export interface DeliveryDependencies {
  readonly platform: MessagingPlatform;
  readonly voiceNotes: VoiceNotes;
  readonly longRecordings: Pick<LongRecordings, "outcomeOf">;
}

const recipientOf = ({ phoneNumberId, phone, sender }: InboundMessage): Recipient => ({
  phoneNumberId,
  phone,
  sender,
});

/** Creates a voice note, or an apology if that fails. The text itself was sent before. */
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

/** The transcript no longer exists, for example because its owner was forgotten. */
const nothingLeft: SendOutcome = { kind: "refused", reason: "unreachable", code: -1 };

/** Try again: the text exists only in the file. */
const uploadedLater: SendOutcome = { kind: "postponed", seconds: 30, code: -1 };

/** Uploads a transcript as a text file, or returns the outcome when that fails. */
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

/** Sends one output of the reply to a message. `index` is its number among them. */
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
  // A message that the person has deleted cannot be quoted.
  return dependencies.platform.send(recipient, content, { quoting: undefined, reference });
};
