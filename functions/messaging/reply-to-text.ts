import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import type { ChatModels } from "../../shared/models/inference/chat.ts";
import type { Translator } from "../../shared/models/inference/translation.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import type { UnnamedDependencies } from "../../shared/recordings/spoken-language/transcribe-unnamed.ts";
import { readYes } from "./control-phrases.ts";
import { type Conversation, languageOf } from "./conversation.ts";
import { executeCommand } from "./execute-command.ts";
import { guardOutput } from "./guard-output.ts";
import type { LongRecordings } from "./long-recordings.ts";
import type { MessagingPlatform } from "./messaging-platform.ts";
import { type Changes, type Output, type Plan, plan, replyWith, say } from "./plan.ts";
import { readCommand } from "./read-command.ts";
import { replyToChat } from "./reply-to-chat.ts";
import { replyToQuestion } from "./reply-to-question.ts";
import { hasMoreThan, type SenderData, summariseData } from "./sender-data.ts";
import { spoken, voiceReply } from "./voice-notes.ts";
import { type ApologyReason, apology, wordingFor } from "./wording.ts";

/** When to repeat a transcription, in milliseconds: a model that is still loading needs minutes. */
export interface TranscriptionRetry {
  readonly after: number;
  readonly pause: number;
}

export interface ReplyDependencies extends UnnamedDependencies {
  readonly chat: Pick<ChatModels, "reply">;
  readonly translator: Translator;
  readonly platform: Pick<MessagingPlatform, "download">;
  readonly transcriptionRetry: TranscriptionRetry;
  readonly longRecordings: Pick<LongRecordings, "begin" | "outcomeOf">;
  readonly senderData: Pick<SenderData, "find">;
  /** Returns an ISO 639-3 code; `undefined` when the model is unsure. */
  readonly identifyLanguage: (text: string) => string | undefined;
  /** The address of the privacy notice. */
  readonly privacyNotice: string;
  /** Whether the stage names a template for results that come too late. */
  readonly hasResultTemplate: boolean;
}

/** What a person wrote or said. */
export interface UserText {
  readonly text: string;
  readonly name: string | undefined;
}

/** The reply to a text, and the exchange to remember. An apology is not remembered. */
export interface TextReply {
  readonly outputs: Output[];
  readonly exchange?: NonNullable<Changes["exchange"]>;
}

/** Errors that another attempt would repeat. */
const apologyReasons: Readonly<Record<string, ApologyReason>> = {
  content_policy_violation: "no-answer",
  context_length_exceeded: "too-long",
  external_service_error: "no-answer",
};

/**
 * Returns the reason for an apology. Models fail with an `AppError`, or with the signal's reason when time is up.
 *
 * @throws the error itself when it is our own fault, so the message is attempted again.
 */
export const modelFailure = (error: unknown, task: string, signal: AbortSignal): ApologyReason => {
  if (!(error instanceof AppError) && !signal.aborted) throw error;
  const { code, cause } = error instanceof AppError ? error : { code: "timed_out", cause: undefined };
  logger.warn("model.failed", { task, code, reason: describeError(cause) });
  return apologyReasons[code] ?? "unavailable";
};

const chatOrTranslate = async (
  { text, name }: UserText,
  conversation: Conversation,
  { chat, translator }: ReplyDependencies,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const { settings } = conversation;
  if (settings.mode === "chat") return replyToChat(text, name, conversation, chat, signal);
  const targetLanguage = languageOf(settings).name;
  const request = { text, sourceLanguage: undefined, targetLanguage };
  return guardOutput((await translator.translate(request, { signal })).text);
};

/** Replies to a text by the person's mode: with a model's reply, a translation, or the text read aloud. */
export const replyByMode = async (
  userText: UserText,
  conversation: Conversation,
  dependencies: ReplyDependencies,
  signal: AbortSignal,
): Promise<TextReply> => {
  const { settings } = conversation;
  const wording = wordingFor(conversation);
  if (settings.mode === "speak") return { outputs: [spoken(userText.text, settings, wording)] };
  try {
    const text = await chatOrTranslate(userText, conversation, dependencies, signal);
    if (text === undefined) return { outputs: [apology("no-answer", wording)] };
    const isTranslation = settings.mode === "translate";
    return {
      outputs: [say(text), ...voiceReply(text, settings)],
      exchange: {
        question: userText.text,
        answer: text,
        ...(isTranslation ? { translated_into: languageOf(settings).code } : {}),
      },
    };
  } catch (error) {
    return { outputs: [apology(modelFailure(error, settings.mode, signal), wording)] };
  }
};

/** An emoji, a dot or a single letter is not enough for a reply. */
const saysSomething = (text: string): boolean => (text.match(/[\p{L}\p{N}]/gu) ?? []).length >= 2;

/** Shows what is stored about the person: a summary, and a file with the words where there are any. */
const showData = async (
  { sender, phone }: InboundMessage,
  conversation: Conversation,
  { senderData }: ReplyDependencies,
): Promise<Plan> => {
  const wording = wordingFor(conversation);
  const found = await senderData.find(sender, phone);
  const summary = summariseData(found, conversation);
  const file: Output = { kind: "data", caption: wording.myDataAsFile };
  return plan([say(wording.myData(summary)), ...(hasMoreThan(summary) ? [file] : [])]);
};

/** What a voice note says, after YES to the question about it: as it was understood, or as YES corrects it. */
const confirmedText = (text: string, { open_question: question }: Conversation): string | undefined => {
  const yes = question?.kind === "heard" ? readYes(text) : undefined;
  return question?.kind === "heard" && yes ? (yes.text ?? question.text) : undefined;
};

/** Replies to a voice note once it is certain what it says. In transcribe mode that was all. */
const replyToHeard = async (
  userText: UserText,
  conversation: Conversation,
  dependencies: ReplyDependencies,
  signal: AbortSignal,
): Promise<Plan> => {
  const { mode, language } = conversation.settings;
  if (mode === "transcribe") return replyWith(wordingFor(conversation).thanks(language));
  const { outputs, exchange } = await replyByMode(userText, conversation, dependencies, signal);
  return plan(outputs, exchange ? { exchange } : {});
};

/** Replies to a text: executes its command, or follows the person's mode. */
export const replyToText = async (
  text: string,
  message: InboundMessage,
  conversation: Conversation,
  dependencies: ReplyDependencies,
  signal: AbortSignal,
): Promise<Plan> => {
  const { name } = message;
  const { mode } = conversation.settings;
  const heard = confirmedText(text, conversation);
  if (heard !== undefined) return replyToHeard({ text: heard, name }, conversation, dependencies, signal);
  const yesOrWrong = replyToQuestion(text, message, conversation, dependencies);
  if (yesOrWrong) return yesOrWrong;
  const command = readCommand(text, mode);
  if (command?.kind === "my-data") return showData(message, conversation, dependencies);
  if (command) return executeCommand(command, name, conversation);
  const wording = wordingFor(conversation);
  if (!saysSomething(text)) return replyWith(wording.nudge);
  if (mode === "transcribe") return replyWith(wording.sendVoiceNote);
  const { outputs, exchange } = await replyByMode({ text, name }, conversation, dependencies, signal);
  return plan(mode === "speak" ? [say(text), ...outputs] : outputs, exchange ? { exchange } : {});
};
