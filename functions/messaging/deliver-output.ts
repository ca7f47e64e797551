import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { writeReference } from "../../shared/messaging/send-receipt.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import type { LongRecordings } from "./long-recordings.ts";
import type {
  Content,
  MessagingPlatform,
  NewMedia,
  Recipient,
  ResultTemplate,
  SendOutcome,
} from "./messaging-platform.ts";
import type { DataOutput, Output, SpeechOutput, TemplateOutput, TranscriptOutput } from "./plan.ts";
import { dataFile, type SenderData } from "./sender-data.ts";
import type { VoiceNotes } from "./voice-notes.ts";
import { wordingIn } from "./wording.ts";

export interface DeliveryDependencies {
  readonly platform: MessagingPlatform;
  readonly voiceNotes: VoiceNotes;
  readonly longRecordings: Pick<LongRecordings, "outcomeOf">;
  readonly senderData: Pick<SenderData, "find">;
  /** The template for results that come too late; `undefined` when the stage names none. */
  readonly resultTemplate: ResultTemplate | undefined;
}

const recipientOf = ({ phoneNumberId, phone, sender }: InboundMessage): Recipient => ({
  phoneNumberId,
  phone,
  sender,
});

/** An output on its way to its recipient. */
interface Delivery {
  readonly recipient: Recipient;
  /** The language of the assistant's own words, ISO 639-3. */
  readonly language: string;
  readonly dependencies: DeliveryDependencies;
  readonly signal: AbortSignal;
}

/** Creates a voice note, or an apology if that fails. The text itself was sent before. */
const voiceOf = async (
  { text, language }: SpeechOutput,
  { recipient, language: ownLanguage, dependencies: { platform, voiceNotes }, signal }: Delivery,
): Promise<Content> => {
  try {
    const note = await voiceNotes.make(text, language, { signal });
    return { kind: "audio", mediaId: await platform.upload(recipient, note, { signal }) };
  } catch (error) {
    logger.warn("voice.not_made", { reason: describeError(error) });
    return { kind: "text", text: wordingIn(ownLanguage).voiceFailed };
  }
};

/** The transcript no longer exists, for example because its owner was forgotten. */
const nothingLeft: SendOutcome = { kind: "refused", reason: "unreachable", code: -1 };

/** Try again: the text exists only in the file. */
const uploadedLater: SendOutcome = { kind: "postponed", seconds: 30, code: -1 };

/** Uploads a file, or returns the outcome when that fails. */
const upload = async (
  file: NewMedia,
  { recipient, dependencies: { platform }, signal }: Delivery,
): Promise<string | SendOutcome> => {
  try {
    return await platform.upload(recipient, file, { signal });
  } catch (error) {
    logger.warn("file.not_uploaded", { reason: describeError(error) });
    return uploadedLater;
  }
};

const transcriptName = "transcript.txt";

/** Uploads a transcript as a text file, or returns the outcome when that fails. */
const uploadTranscript = async (jobId: string, delivery: Delivery): Promise<string | SendOutcome> => {
  const outcome = await delivery.dependencies.longRecordings.outcomeOf(jobId);
  if (outcome?.kind !== "transcribed") return nothingLeft;
  const bytes = Buffer.from(`${outcome.text}\n`);
  return upload({ bytes, contentType: "text/plain", fileName: transcriptName }, delivery);
};

const documentOf = async (
  { jobId, caption }: TranscriptOutput,
  delivery: Delivery,
): Promise<Content | SendOutcome> => {
  const mediaId = await uploadTranscript(jobId, delivery);
  if (typeof mediaId !== "string") return mediaId;
  return { kind: "document", mediaId, fileName: transcriptName, caption };
};

const templateOf = async ({ jobId }: TemplateOutput, delivery: Delivery): Promise<Content | SendOutcome> => {
  const { resultTemplate: template } = delivery.dependencies;
  // The stage no longer names one.
  if (!template) return nothingLeft;
  const mediaId = await uploadTranscript(jobId, delivery);
  return typeof mediaId === "string"
    ? { kind: "template", template, mediaId, fileName: transcriptName }
    : mediaId;
};

const dataOf = async ({ caption }: DataOutput, delivery: Delivery): Promise<Content | SendOutcome> => {
  const { recipient, dependencies } = delivery;
  const file = dataFile(await dependencies.senderData.find(recipient.sender, recipient.phone));
  const mediaId = await upload(file, delivery);
  if (typeof mediaId !== "string") return mediaId;
  return { kind: "document", mediaId, fileName: file.fileName, caption };
};

const contentOf = async (output: Output, delivery: Delivery): Promise<Content | SendOutcome> => {
  switch (output.kind) {
    case "speech":
      return voiceOf(output, delivery);
    case "transcript":
      return documentOf(output, delivery);
    case "template":
      return templateOf(output, delivery);
    case "data":
      return dataOf(output, delivery);
    default:
      return output;
  }
};

const isOutcome = (content: Content | SendOutcome): content is SendOutcome =>
  content.kind === "refused" || content.kind === "postponed";

/**
 * Sends one output of the reply to a message.
 *
 * @param index its number among them.
 * @param language of the assistant's own words, ISO 639-3.
 */
export const deliverOutput = async (
  message: InboundMessage,
  output: Output,
  index: number,
  language: string,
  dependencies: DeliveryDependencies,
  signal: AbortSignal,
): Promise<SendOutcome> => {
  const recipient = recipientOf(message);
  const content = await contentOf(output, { recipient, language, dependencies, signal });
  if (isOutcome(content)) return content;
  const quoting = "quoting" in output ? output.quoting : undefined;
  const reference = writeReference({ sender: message.sender, messageId: message.id, index });
  const outcome = await dependencies.platform.send(recipient, content, { quoting, reference });
  const isRefused = outcome.kind === "refused" && outcome.reason === "content";
  if (!isRefused || quoting === undefined) return outcome;
  // A message that the person has deleted cannot be quoted.
  return dependencies.platform.send(recipient, content, { quoting: undefined, reference });
};
