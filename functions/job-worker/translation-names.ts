import type { TranslationRequest } from "../../shared/models/inference/translation.ts";
import { findLanguage } from "../../shared/platform/catalogue/languages.ts";

/** Returns the languages of a translation as models know them. */
export const translationNames = (
  source: string | undefined,
  target: string,
): Pick<TranslationRequest, "sourceLanguage" | "targetLanguage"> => ({
  sourceLanguage: source === undefined ? undefined : findLanguage(source)?.name,
  targetLanguage: findLanguage(target)?.name ?? target,
});
