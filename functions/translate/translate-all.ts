import type { CharacterStatus } from "../../shared/accounts/limits/character-quota.ts";
import type { LanguageModel } from "../../shared/models/language-id/model.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { maxTextCharacters, maxTexts } from "./contract-limits.ts";
import type { TextToTranslate } from "./prepare-text.ts";
import { type TextDependencies, type TextsCaller, translateTexts } from "./translate-texts.ts";

export interface DetectingDependencies extends TextDependencies {
  readonly languageModel: LanguageModel;
}

/** One of the translations of a request of DeepL or LibreTranslate. */
export interface TranslationOfAll {
  readonly text: string;
  /** The characters that it counts on the month: none for one that is equal to an earlier one. */
  readonly characters: number;
  /** The start of what was translated, without markup; empty for a text without words. */
  readonly sample: string;
}

export interface TranslationsOfAll {
  /** In the order of the texts. */
  readonly translations: readonly TranslationOfAll[];
  readonly status: CharacterStatus;
}

const tooLarge = (message: string): AppError =>
  new AppError("payload_too_large", {
    message: `${message} For more, create a job through POST /tasks/jobs.`,
  });

const checkLimits = (texts: readonly string[], param: string): void => {
  if (texts.length > maxTexts) {
    throw tooLarge(`A request may have at most ${maxTexts} texts; this one has ${texts.length}.`);
  }
  const index = texts.findIndex((text) => [...text].length > maxTextCharacters);
  if (index >= 0) {
    throw tooLarge(`${param} ${index} has more than ${maxTextCharacters.toLocaleString("en")} characters.`);
  }
};

/**
 * Translates the texts of a request for clients that know only whole responses: when one fails, all do, and nothing is counted. Texts
 * without words stay as they are.
 *
 * @param options how each text is translated.
 * @param param what the request calls a text.
 * @throws AppError `payload_too_large` for too many texts or a long one; `quota_exceeded`; `unreadable_document` for invalid XML; what
 * the translator throws.
 */
export const translateAll = async (
  texts: readonly string[],
  { param, ...options }: Omit<TextToTranslate, "text"> & { readonly param: string },
  caller: Omit<TextsCaller, "isAllOrNothing">,
  dependencies: TextDependencies,
): Promise<TranslationsOfAll> => {
  checkLimits(texts, param);
  const given = texts.map((text, index) => ({ text, name: `${param}[${index}]` }));
  const withWords = given.filter(({ text }) => text.trim() !== "");
  const { outcomes, status } = await translateTexts(
    withWords.map((text) => ({ ...text, keepsLines: true, isWhole: true, ...options })),
    { ...caller, isAllOrNothing: true },
    dependencies,
  );
  const byText = new Map(withWords.map(({ text }, index) => [text, outcomes[index]?.translated]));
  const counted = new Set<string>();
  const translations = texts.map((text) => {
    const translated = byText.get(text);
    const characters = counted.has(text) ? 0 : (translated?.characters ?? 0);
    counted.add(text);
    return { text: translated?.text ?? text, characters, sample: translated?.sample ?? "" };
  });
  return { translations, status };
};
