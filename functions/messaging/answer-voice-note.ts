import { setTimeout as pause } from "node:timers/promises";
import { NotAudioError, UnreadableAudioError } from "../../shared/audio/audio-errors.ts";
import { bufferSource, inspectAudio, isLongerThan } from "../../shared/audio/read-audio.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import type { Recording } from "../../shared/inference/transcription.ts";
import { type AnswerDependencies, answerByMode, modelFailure } from "./answer-text.ts";
import { type Conversation, languageOf } from "./conversation.ts";
import { splitText } from "./cut-text.ts";
import { limits } from "./graph-message.ts";
import { MediaError } from "./messaging-platform.ts";
import { answer, type Output, type Plan, type PlanningTools, plan, say } from "./plan.ts";
import { wording } from "./wording.ts";

/** A recording somebody sent. */
export interface VoiceNote {
  readonly messageId: string;
  readonly mediaId: string;
  readonly name: string | undefined;
}

const longestSeconds = 600;

/** As many messages as a transcript may take: ten minutes of fast speech are three. */
const mostPieces = 4;

/**
 * The recording, or what is to be said about it.
 *
 * @throws MediaError `unreachable`, or the signal's reason, unless this is the last try: the platform may be back for the
 * next one.
 */
const fetchRecording = async (
  { mediaId }: VoiceNote,
  { platform }: AnswerDependencies,
  { signal, isLastTry }: PlanningTools,
): Promise<Recording | string> => {
  try {
    const { bytes } = await platform.download(mediaId, { signal });
    const source = bufferSource(bytes);
    const facts = await inspectAudio(source, { signal });
    if (isLongerThan(facts, longestSeconds)) return wording.voiceNoteTooLong;
    return { source, mediaType: facts.mediaType, fileExtension: facts.fileExtension };
  } catch (error) {
    if (error instanceof NotAudioError || error instanceof UnreadableAudioError)
      return wording.voiceNoteUnreadable;
    const failure = error instanceof MediaError ? error.reason : undefined;
    if (failure === "gone") return wording.voiceNoteGone;
    if (failure === "too-large") return wording.voiceNoteTooLarge;
    if (isLastTry && (failure === "unreachable" || signal.aborted)) return wording.voiceNoteOutOfReach;
    throw error;
  }
};

/** Two tries. Before the second one the person is told that it takes longer. */
const transcribe = async (
  recording: Recording,
  language: string,
  { transcriber, transcriptionRetry }: AnswerDependencies,
  { sayNow, signal }: PlanningTools,
): Promise<string> => {
  const request = { recording, language, withSegments: false };
  try {
    const firstSignal = AbortSignal.any([signal, AbortSignal.timeout(transcriptionRetry.after)]);
    return (await transcriber.transcribe(request, { signal: firstSignal })).text;
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    await sayNow(say(wording.stillListening));
    await pause(transcriptionRetry.pause, undefined, { signal });
    return (await transcriber.transcribe(request, { signal })).text;
  }
};

const transcriptOutputs = (text: string, quoting: string): Output[] =>
  splitText(wording.transcript(text), limits.text)
    .slice(0, mostPieces)
    .map((piece, index) => ({ kind: "text", text: piece, ...(index === 0 ? { quoting } : {}) }));

/** Writes down a voice note, quoting it, and goes on with the words as the person's mode says. */
export const answerVoiceNote = async (
  note: VoiceNote,
  conversation: Conversation,
  dependencies: AnswerDependencies,
  tools: PlanningTools,
): Promise<Plan> => {
  const { settings } = conversation;
  await tools.sayNow(say(wording.listening));
  const recording = await fetchRecording(note, dependencies, tools);
  if (typeof recording === "string") return answer(recording);
  let text: string;
  try {
    text = await transcribe(recording, languageOf(settings).code, dependencies, tools);
  } catch (error) {
    modelFailure(error, "transcribe", tools.signal);
    return answer(wording.notTranscribed);
  }
  if (text.trim() === "") return answer(wording.noSpeech);
  const transcript = transcriptOutputs(text, note.messageId);
  if (settings.mode === "transcribe") return plan(transcript);
  const userText = { text, name: note.name };
  const { outputs, exchange } = await answerByMode(userText, conversation, dependencies, tools.signal);
  return plan([...transcript, ...outputs], exchange ? { exchange } : {});
};
