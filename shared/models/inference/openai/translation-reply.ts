import { findLanguage } from "../../../platform/catalogue/languages.ts";
import type { ChatReply, TokenUsage } from "../chat.ts";
import { type DetectLanguage, faultOfTranslation } from "../judge-translation.ts";
import { NoTranslation, type TranslationRequest, type TranslationResult } from "../translation.ts";
import { withoutFraming } from "../translation-framing.ts";

/** A model's reply to a text, before it is judged. */
export interface TranslationReply {
  /** Trimmed; may be empty. */
  readonly text: string;
  readonly usage: TokenUsage | undefined;
  readonly finish: "complete" | "cut" | "filtered" | "unknown";
  /** What the model was sent besides the text. */
  readonly instructions: readonly string[];
}

/** Servers' words for the end of a complete reply, in lower case. */
const completeWords = ["stop", "eos", "end_turn", "eos_token"];

/** How a reply ended. Only a known word, or none, says that it is complete. */
export const finishOf = ({
  finishReason,
  finishWord,
}: Pick<ChatReply, "finishReason" | "finishWord">): TranslationReply["finish"] => {
  if (finishReason === "length") return "cut";
  if (finishReason === "content_filter") return "filtered";
  return finishWord === undefined || completeWords.includes(finishWord.toLowerCase())
    ? "complete"
    : "unknown";
};

/**
 * Returns the translation that a reply is.
 *
 * @throws NoTranslation as far as it is certain that it is not one.
 */
export const acceptedTranslation = (
  { text, usage, finish, instructions }: TranslationReply,
  { text: source, sourceLanguage, targetLanguage }: TranslationRequest,
  detect: DetectLanguage,
): TranslationResult => {
  // Only a known word says that a reply is complete.
  if (finish !== "complete") throw new NoTranslation(finish === "filtered" ? "filtered" : "cut");
  const translation = withoutFraming(text, { source, sourceLanguage, targetLanguage });
  const codeOf = (name: string): string | undefined => findLanguage(name)?.code;
  const task = {
    source,
    sourceCode: sourceLanguage && codeOf(sourceLanguage),
    targetCode: codeOf(targetLanguage),
    instructions,
  };
  const fault = faultOfTranslation(translation, task, detect);
  if (fault) throw new NoTranslation(fault);
  return { text: translation, usage };
};
