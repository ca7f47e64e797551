import type { MessageContent } from "../../shared/messaging/inbound-message.ts";
import { daySeconds, minuteSeconds } from "../../shared/platform/durations.ts";
import { waitFor } from "./after-refusal.ts";
import type { Conversation } from "./conversation.ts";
import { splitText } from "./cut-text.ts";
import { limits } from "./graph-message.ts";
import type { LongRecordings } from "./long-recordings.ts";
import { longRecordingOver, type Output, type Plan, plan, say } from "./plan.ts";
import type { Wording } from "./wording/english.ts";
import { wordingFor } from "./wording.ts";

interface TranscriptDependencies {
  readonly longRecordings: Pick<LongRecordings, "outcomeOf">;
  /** Whether the stage names a template for results that come too late. */
  readonly hasResultTemplate: boolean;
}

/** Messages that a transcript may fill: ten minutes of fast speech fill three. */
export const maxPieces = 4;

/** Splits a transcript into messages. The first one quotes the voice note. @param unsure whether to say that it may be wrong. */
export const transcriptOutputs = (
  text: string,
  quoting: string,
  { transcript, unsure: warning }: Wording,
  unsure = false,
): Output[] =>
  splitText(transcript(unsure ? `${warning}\n\n${text}` : text), limits.text).map((piece, index) =>
    say(piece, index === 0 ? quoting : undefined),
  );

/** Returns the transcript of a long recording, or the reason why there is none; nothing when it was deleted. */
const resultOutputs = async (
  jobId: string,
  voiceNoteId: string,
  wording: Wording,
  { longRecordings }: TranscriptDependencies,
): Promise<Output[]> => {
  const outcome = await longRecordings.outcomeOf(jobId);
  if (!outcome) return [];
  if (outcome.kind === "failed") {
    const isUnreadable = outcome.code === "unreadable_audio";
    return [say(isUnreadable ? wording.voiceNoteUnreadable : wording.notTranscribed, voiceNoteId)];
  }
  if (outcome.text.trim() === "") return [say(wording.noSpeech, voiceNoteId)];
  const outputs = transcriptOutputs(outcome.text, voiceNoteId, wording, outcome.isUnsure);
  if (outputs.length <= maxPieces) return outputs;
  const caption = outcome.isUnsure
    ? `${wording.transcriptAsFile}\n\n${wording.unsure}`
    : wording.transcriptAsFile;
  return [{ kind: "transcript", jobId, caption, quoting: voiceNoteId }];
};

/** The platform refuses other messages than templates a day after the person last wrote; sending takes some minutes at most. */
const windowSeconds = daySeconds - 5 * minuteSeconds;

const isWindowClosed = ({ last_message_at: at }: Conversation): boolean =>
  at !== undefined && Date.now() / 1_000 - at > windowSeconds;

/**
 * Replies with the result of a long recording. If the person has not written for a day, it goes as a template message where the
 * stage names one, or waits for the person's next message. A deleted one leaves nothing.
 */
export const replyToTranscript = async (
  content: Extract<MessageContent, { readonly type: "transcript" }>,
  conversation: Conversation,
  isKnown: boolean,
  dependencies: TranscriptDependencies,
): Promise<Plan> => {
  const { jobId, voiceNoteId } = content;
  const changes = longRecordingOver(jobId, conversation);
  const outputs = await resultOutputs(jobId, voiceNoteId, wordingFor(conversation), dependencies);
  // The person was forgotten meanwhile, so nothing may be stored about them again.
  if (outputs.length === 0 && !isKnown) return plan([], { forgets: true });
  if (outputs.length === 0 || !isWindowClosed(conversation)) return plan(outputs, changes);
  if (dependencies.hasResultTemplate) return plan({ kind: "template", jobId }, changes);
  return plan([], { ...changes, ...waitFor(content) });
};

/** Returns a result that waited for the person's next message, and the change that it no longer does. */
export const waitingOutputs = async (
  conversation: Conversation,
  dependencies: TranscriptDependencies,
): Promise<Plan> => {
  const { waiting_result: waiting } = conversation;
  if (!waiting) return plan([]);
  const { job_id: jobId, voice_note_id: voiceNoteId } = waiting;
  const outputs = await resultOutputs(jobId, voiceNoteId, wordingFor(conversation), dependencies);
  return plan(outputs, { waiting_result: null });
};
