import { ReplyWithHeaders } from "../../../shared/http/response.ts";
import { chooseLanguages } from "../../../shared/platform/catalogue/choose-languages.ts";
import { findLanguage, shortestCode } from "../../../shared/platform/catalogue/languages.ts";
import { type DetectingDependencies, translateAll } from "../translate-all.ts";
import { characterHeaders } from "../translate-texts.ts";
import type { LibreTranslateDetection, LibreTranslateRequest, LibreTranslateResponse } from "./contract.ts";

const toDetection = (code: string, probability: number): LibreTranslateDetection => {
  const language = findLanguage(code);
  return { confidence: Math.round(100 * probability), language: language ? shortestCode(language) : code };
};

/**
 * Returns the language of a text, with a confidence in percent. Clients of LibreTranslate always expect one, so it is the most likely
 * of six when the detector is not sure.
 */
export const detectForLibreTranslate = (
  text: string,
  { sourceDetector, languageModel }: Pick<DetectingDependencies, "sourceDetector" | "languageModel">,
): LibreTranslateDetection => {
  const detected = sourceDetector.detect(text);
  if (detected) return toDetection(detected.code, detected.probability);
  const { language, confidence, other } = languageModel.identify(text);
  return toDetection(language, confidence * (1 - other));
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
  const detect = () => translations.map(({ sample }) => detectForLibreTranslate(sample, dependencies));
  const detected = languages.source ? undefined : detect();
  const isList = typeof q !== "string";
  return new ReplyWithHeaders(
    {
      translatedText: isList ? translated : (translated[0] ?? ""),
      ...(detected ? { detectedLanguage: isList ? detected : detected[0] } : {}),
    },
    characterHeaders(status),
  );
};
