import { setTimeout as pause } from "node:timers/promises";
import { type AudioFacts, bufferSource, inspectAudio, isLongerThan } from "../../shared/audio/read-audio.ts";
import { NotAudioError, UnreadableAudioError } from "../../shared/audio/reading/audio-errors.ts";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import type { Transcription } from "../../shared/models/inference/transcription.ts";
import { findLanguage } from "../../shared/platform/catalogue/languages.ts";
import { daySeconds, hourSeconds } from "../../shared/platform/durations.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ByteSource } from "../../shared/platform/outbound/byte-source.ts";
import { transcribeIn } from "../../shared/recordings/spoken-language/transcribe-unnamed.ts";
import { conversationText } from "../../shared/recordings/transcripts/speakers.ts";
import type { MeasuredRecording } from "../../shared/recordings/uploads/open-upload.ts";
import { type Conversation, initialSettings, languageOf } from "./conversation.ts";
import { isUnsure } from "./long-recordings.ts";
import { MediaError } from "./messaging-platform.ts";
import { type Plan, type PlanningTools, plan, replyWith, say } from "./plan.ts";
import { modelFailure, type ReplyDependencies, replyByMode } from "./reply-to-text.ts";
import { maxPieces, transcriptOutputs } from "./reply-to-transcript.ts";
import type { Wording } from "./wording/english.ts";
import { wordingFor } from "./wording.ts";

export interface VoiceNote {
  readonly message: InboundMessage;
  readonly mediaId: string;
}

/** Longer recordings become jobs. */
const promptSeconds = 600;

/** The limit of a job. Without it, 16 MB of silence could last for days. */
const maxSeconds = 3 * hourSeconds;

/** A longer transcript is not read back with a question, which would have to remember all of it. */
const maxQuestionLength = 2_000;

/** A job that has not ended after this time never will. */
const longRecordingSeconds = 2 * daySeconds;

/**
 * Returns the recording, or a text that says why we cannot have it.
 *
 * @throws MediaError `unreachable`, or the signal's reason, unless this is the last attempt.
 */
const fetchRecording = async (
  { mediaId }: VoiceNote,
  wording: Wording,
  { platform }: ReplyDependencies,
  { signal, isLastAttempt }: PlanningTools,
): Promise<{ readonly source: ByteSource; readonly facts: AudioFacts } | string> => {
  try {
    const { bytes } = await platform.download(mediaId, { signal });
    const source = bufferSource(bytes);
    const facts = await inspectAudio(source, { signal });
    return isLongerThan(facts, maxSeconds) ? wording.voiceNoteTooLong : { source, facts };
  } catch (error) {
    if (error instanceof NotAudioError && error.kind !== undefined)
      return wording.voiceNoteOfKind(error.kind);
    if (error instanceof NotAudioError || error instanceof UnreadableAudioError)
      return wording.voiceNoteUnreadable;
    const failure = error instanceof MediaError ? error.reason : undefined;
    if (failure === "gone") return wording.voiceNoteGone;
    if (failure === "too-large") return wording.voiceNoteTooLarge;
    if (isLastAttempt && (failure === "unreachable" || signal.aborted)) return wording.voiceNoteOutOfReach;
    throw error;
  }
};

/**
 * The languages that a voice note may be in: the one that the person has chosen. Who has chosen none, and writes in another language than
 * the assistant starts with, speaks either.
 */
const languagesOf = ({ settings, writes_in: written }: Conversation): readonly [string, ...string[]] => {
  const { code } = languageOf(settings);
  const other = findLanguage(written ?? code, "transcription")?.code ?? code;
  return code === initialSettings.language && other !== code ? [code, other] : [code];
};

/** Makes two attempts. Before the second one, the person learns that it takes longer. */
const transcribe = async (
  recording: MeasuredRecording,
  candidates: readonly string[],
  wording: Wording,
  dependencies: ReplyDependencies,
  { sayNow, signal }: PlanningTools,
): Promise<Transcription> => {
  const { transcriptionRetry } = dependencies;
  const request = {
    recording,
    candidates,
    withSegments: false,
    speakers: "if-known" as const,
    confidence: true,
  };
  const hear = async (options: { readonly signal: AbortSignal }): Promise<Transcription> =>
    (await transcribeIn(request, dependencies, options)).transcription;
  try {
    const firstSignal = AbortSignal.any([signal, AbortSignal.timeout(transcriptionRetry.after)]);
    return await hear({ signal: firstSignal });
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    await sayNow(say(wording.stillListening));
    await pause(transcriptionRetry.pause, undefined, { signal });
    return await hear({ signal });
  }
};

/** Starts a job for a long recording. Each person has one at a time, to share the models fairly. */
const replyLater = async (
  message: InboundMessage,
  source: ByteSource,
  facts: AudioFacts,
  conversation: Conversation,
  { longRecordings }: ReplyDependencies,
): Promise<Plan> => {
  const { settings, long_recording: other } = conversation;
  const wording = wordingFor(conversation);
  const now = Math.floor(Date.now() / 1_000);
  if (other && other.until > now) return replyWith(wording.oneLongVoiceNote);
  const { content: _content, ...voiceNote } = message;
  const language = languageOf(settings).code;
  const jobId = await longRecordings.begin({ voiceNote, source, facts, language });
  const minutes = Math.round(facts.durationSeconds / 60);
  return plan(say(wording.transcriptLater(minutes)), {
    long_recording: { job_id: jobId, until: now + longRecordingSeconds },
  });
};

/** Transcribes a voice note, and replies to its text by the person's mode. A long one becomes a job instead. */
export const replyToVoiceNote = async (
  note: VoiceNote,
  conversation: Conversation,
  dependencies: ReplyDependencies,
  tools: PlanningTools,
): Promise<Plan> => {
  const { settings } = conversation;
  const wording = wordingFor(conversation);
  await tools.sayNow(say(wording.listening));
  const fetched = await fetchRecording(note, wording, dependencies, tools);
  if (typeof fetched === "string") return replyWith(fetched);
  const { source, facts } = fetched;
  if (isLongerThan(facts, promptSeconds)) {
    return replyLater(note.message, source, facts, conversation, dependencies);
  }
  let heard: Transcription;
  try {
    heard = await transcribe({ source, ...facts }, languagesOf(conversation), wording, dependencies, tools);
  } catch (error) {
    modelFailure(error, "transcribe", tools.signal);
    return replyWith(wording.notTranscribed);
  }
  const { text } = heard;
  if (text.trim() === "") return replyWith(wording.noSpeech);
  const said = conversationText(heard);
  if (isUnsure(heard) && said.length <= maxQuestionLength) {
    const question = say(wording.understood(said), note.message.id);
    return plan(question, { open_question: { kind: "heard", text } });
  }
  const transcript = transcriptOutputs(said, note.message.id, wording, isUnsure(heard)).slice(0, maxPieces);
  if (settings.mode === "transcribe") return plan(transcript);
  const userText = { text, name: note.message.name };
  const { outputs, exchange } = await replyByMode(userText, conversation, dependencies, tools.signal);
  return plan([...transcript, ...outputs], exchange ? { exchange } : {});
};
