import { compareText } from "../compare-text.ts";
import { AppError } from "../errors/app-error.ts";
import { findLanguage, type Language, translationLanguages } from "./languages.ts";

/** The languages of a translation. */
export interface LanguagePair {
  /** `undefined` leaves it to the model. */
  readonly source: Language | undefined;
  readonly target: Language;
}

const supported = translationLanguages
  .map(({ code, name }) => ({ code, name }))
  .toSorted((one, other) => compareText(one.name, other.name));

const resolve = (value: string, param: "source_language" | "target_language"): Language => {
  const language = findLanguage(value, "translation");
  if (language) return language;
  throw new AppError("unsupported_language", {
    message: `Unsupported language '${value}'. Supported languages: ${supported.map(({ name }) => name).join(", ")}.`,
    param,
    extra: { supported_languages: supported },
  });
};

/** Callers that must send every field send `auto`, as most translation programs do. */
const isLeftToTheModel = (value: string | null | undefined): value is "auto" | null | undefined =>
  value == null || value.trim().toLowerCase() === "auto";

/**
 * Returns the languages of a request. They are compared, so `lug` and `Luganda` are the same (specification, Translation, rule
 * 3).
 *
 * @throws AppError `unsupported_language` and `same_language` with the list of languages.
 */
export const chooseLanguages = (request: {
  readonly source_language?: string | null | undefined;
  readonly target_language: string;
}): LanguagePair => {
  const target = resolve(request.target_language, "target_language");
  const source = isLeftToTheModel(request.source_language)
    ? undefined
    : resolve(request.source_language, "source_language");
  if (source !== target) return { source, target };
  throw new AppError("same_language", {
    message: `Source and target language must be different; both are ${target.name}. Supported languages: ${supported.map(({ name }) => name).join(", ")}.`,
    param: "target_language",
    extra: { supported_languages: supported },
  });
};
