import { setTimeout as pause } from "node:timers/promises";
import { NotAudioError, UnreadableAudioError } from "../../../shared/audio/audio-errors.ts";
import { bufferSource, inspectAudio, isLongerThan } from "../../../shared/audio/read-audio.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import type { Recording } from "../../../shared/inference/transcription.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { type Output, say } from "../output.ts";
import type { Plan, PlanningTools } from "../plan.ts";
import { MediaError } from "../platform/messaging-platform.ts";
import { limits } from "../platform/render-content.ts";
import { splitText } from "../text/cut-text.ts";
import { wording } from "../wording.ts";
import { answerByMode } from "./answer-by-mode.ts";
import { type AnswerDependencies, answer, languageOf, modelFailure, plan } from "./planning.ts";

/** A recording somebody sent. */
export interface VoiceNote {
  readonly messageId: string;
  readonly mediaId: string;
  readonly name: string | undefined;
}

const longestSeconds = 600;
const firstTryMilliseconds = 120_000;
const pauseMilliseconds = 2_000;

/** As many messages as a transcript may take: ten minutes of fast speech are three. */
const mostPieces = 4;

const mediaFailures: Readonly<Record<MediaError["reason"], string>> = {
  gone: wording.voiceNoteGone,
  unreachable: wording.voiceNoteGone,
  "too-large": wording.voiceNoteTooLarge,
};

/** The recording, or what is to be said about it. */
const fetchRecording = async (
  { mediaId }: VoiceNote,
  { platform }: AnswerDependencies,
  signal: AbortSignal,
): Promise<Recording | string> => {
  try {
    const { bytes } = await platform.download(mediaId, { signal });
    const source = bufferSource(bytes);
    const facts = await inspectAudio(source, { signal });
    if (isLongerThan(facts, longestSeconds)) return wording.voiceNoteTooLong;
    return { source, mediaType: facts.mediaType, fileExtension: facts.fileExtension };
  } catch (error) {
    if (error instanceof MediaError) return mediaFailures[error.reason];
    if (error instanceof NotAudioError || error instanceof UnreadableAudioError)
      return wording.voiceNoteUnreadable;
    if (signal.aborted) return wording.voiceNoteGone;
    throw error;
  }
};

/** Two tries: a model that is still loading needs minutes, so the person is told that it takes longer. */
const transcribe = async (
  recording: Recording,
  language: string,
  { transcriber }: AnswerDependencies,
  { sayNow, signal }: PlanningTools,
): Promise<string> => {
  const request = { recording, language, withSegments: false };
  try {
    const firstSignal = AbortSignal.any([signal, AbortSignal.timeout(firstTryMilliseconds)]);
    return (await transcriber.transcribe(request, { signal: firstSignal })).text;
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    await sayNow(say(wording.stillListening));
    await pause(pauseMilliseconds, undefined, { signal });
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
  const recording = await fetchRecording(note, dependencies, tools.signal);
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
  const words = { text, name: note.name };
  const { outputs, exchange } = await answerByMode(words, conversation, dependencies, tools.signal);
  return plan([...transcript, ...outputs], exchange ? { exchange } : {});
};
