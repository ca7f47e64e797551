import { findLanguage } from "../../../platform/catalogue/languages.ts";
import type { TokenUsage } from "../chat.ts";
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

/** Servers' words for the end of a reply, in small letters. */
const completeWords = ["stop", "eos", "end_turn", "eos_token", "null", ""];
const cutWords = ["length", "max_tokens", "model_length"];
const filteredWords = ["content_filter", "safety", "prohibited_content", "recitation"];

/** Why a reply ended, by its server's word. */
export const finishOf = (word: string | undefined): TranslationReply["finish"] => {
  const known = (word ?? "").toLowerCase();
  if (completeWords.includes(known)) return "complete";
  if (cutWords.includes(known)) return "cut";
  return filteredWords.includes(known) ? "filtered" : "unknown";
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
