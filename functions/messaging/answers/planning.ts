import { findTranslationLanguage, type Language } from "../../../shared/catalogue/languages.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import type { ChatModels } from "../../../shared/inference/chat.ts";
import type { Transcriber } from "../../../shared/inference/transcription.ts";
import type { Translator } from "../../../shared/inference/translation.ts";
import { logger } from "../../../shared/telemetry/logger.ts";
import type { Settings } from "../conversation/conversation.ts";
import { type Output, say } from "../output.ts";
import type { Changes, Plan } from "../plan.ts";
import type { MessagingPlatform } from "../platform/messaging-platform.ts";
import { hasVoice } from "../voice/voice-notes.ts";
import { type ApologyReason, wording } from "../wording.ts";

/** Everything that planning answers touches. */
export interface AnswerDependencies {
  readonly chat: Pick<ChatModels, "answer">;
  readonly translator: Translator;
  readonly transcriber: Transcriber;
  readonly platform: Pick<MessagingPlatform, "download">;
  /** Whether voice notes can be made here. */
  readonly canSpeak: boolean;
}

/** An answer of these outputs. */
export const plan = (outputs: Output | readonly Output[], changes: Changes = {}): Plan => ({
  outputs: [outputs].flat(),
  changes,
});

/** A plain answer that changes nothing. */
export const answer = (text: string): Plan => plan(say(text));

/** The person's language, with its name; English for a code that is no longer in the catalogue. */
export const languageOf = ({ language }: Settings): Pick<Language, "code" | "name"> =>
  findTranslationLanguage(language) ?? { code: "eng", name: "English" };

/** A text read aloud, or the sentence that says why it cannot be. */
export const spoken = (text: string, settings: Settings, canSpeak: boolean): Output => {
  const { code, name } = languageOf(settings);
  if (!canSpeak) return say(wording.noVoiceHere);
  return hasVoice(code) ? { kind: "speech", text, language: code } : say(wording.noVoiceFor(name));
};

/** The voice reply to an answer for those who have asked for them; nothing where there is no voice. */
export const voiceReply = (text: string, settings: Settings, canSpeak: boolean): Output[] =>
  settings.voice && canSpeak && hasVoice(settings.language)
    ? [{ kind: "speech", text, language: settings.language }]
    : [];

/**
 * Why a model gave no answer, in the terms of an apology. Models fail with an `AppError`, or with the signal's reason when
 * time is up.
 *
 * @throws the error itself when it is a fault of ours: the message is tried again then.
 */
export const modelFailure = (error: unknown, task: string, signal: AbortSignal): ApologyReason => {
  if (!(error instanceof AppError) && !signal.aborted) throw error;
  const code = error instanceof AppError ? error.code : "timed_out";
  logger.warn("model.failed", { task, code });
  return code === "external_service_error" ? "no-answer" : "unavailable";
};
