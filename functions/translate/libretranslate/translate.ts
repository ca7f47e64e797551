import { ReplyWithHeaders } from "../../../shared/http/response.ts";
import type { LanguageModel } from "../../../shared/models/language-id/model.ts";
import { chooseLanguages } from "../../../shared/platform/catalogue/choose-languages.ts";
import { findLanguage, shortestCode } from "../../../shared/platform/catalogue/languages.ts";
import { type DetectingDependencies, translateAll } from "../translate-all.ts";
import { characterHeaders } from "../translate-texts.ts";
import type { LibreTranslateDetection, LibreTranslateRequest, LibreTranslateResponse } from "./contract.ts";

/** Returns the most likely language of a text, with a confidence in percent. */
export const detectForLibreTranslate = (text: string, model: LanguageModel): LibreTranslateDetection => {
  const { language: code, confidence, other } = model.identify(text);
  const language = findLanguage(code);
  return {
    confidence: Math.round(100 * confidence * (1 - other)),
    language: language ? shortestCode(language) : code,
  };
};

/**
 * Translates the texts of a request for clients of LibreTranslate.
 *
 * @throws AppError `unsupported_language`, `same_language`; as {@link translateAll} does.
 */
export const translateForLibreTranslate = async (
  { q, source, target, format }: LibreTranslateRequest,
  caller: { readonly userId: number; readonly signal: AbortSignal },
  dependencies: DetectingDependencies,
): Promise<ReplyWithHeaders<LibreTranslateResponse>> => {
  const languages = chooseLanguages({ source_language: source, target_language: target });
  const texts = [q].flat();
  const options = { ...languages, format: format ?? "text", param: "q" } as const;
  const { translations, status } = await translateAll(texts, options, caller, dependencies);
  const translated = translations.map(({ text }) => text);
  const detected = texts.map((text) => detectForLibreTranslate(text, dependencies.languageModel));
  const isList = typeof q !== "string";
  return new ReplyWithHeaders(
    {
      translatedText: isList ? translated : (translated[0] ?? ""),
      ...(languages.source ? {} : { detectedLanguage: isList ? detected : detected[0] }),
    },
    characterHeaders(status),
  );
};
