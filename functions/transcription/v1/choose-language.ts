import type { RequestContext } from "../../../shared/accounts/access/caller.ts";
import { findTranscriptionModel } from "../../../shared/platform/catalogue/audio-models.ts";
import {
  findLanguage,
  type Language,
  transcriptionLanguages,
} from "../../../shared/platform/catalogue/languages.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";

export interface AccountContext extends RequestContext {
  readonly defaultLanguage: string | undefined;
  /** The names and terms of the account's recordings. */
  readonly keywords: readonly string[] | undefined;
}

const supported = transcriptionLanguages.map(({ code, name }) => ({ code, name }));

const unsupportedLanguage = (value: string) =>
  new AppError("unsupported_language", {
    message: `Unsupported language '${value}'. GET /languages lists the languages that can be transcribed.`,
    param: "language",
    extra: { supported_languages: supported },
  });

/**
 * The language of a recording: the request's, its model's, or the account's; `undefined` when none is named.
 * @throws AppError `model_not_found` or `unsupported_language`.
 */
export const namedLanguage = (
  { model, language }: { readonly model: string; readonly language?: string | undefined },
  accountsLanguage: string | undefined,
): Language | undefined => {
  const named = findTranscriptionModel(model);
  if (!named) {
    throw new AppError("model_not_found", {
      message: "Unknown transcription model; use `stt-51`, or `stt-51:lug` for one language.",
      param: "model",
    });
  }
  if (language !== undefined) {
    const found = findLanguage(language, "transcription");
    if (!found) throw unsupportedLanguage(language);
    return found;
  }
  return named.language ?? findLanguage(accountsLanguage ?? "", "transcription");
};

/** The same. @throws AppError `language_required` too, when none is named. */
export const chooseLanguage = (...given: Parameters<typeof namedLanguage>): Language => {
  const chosen = namedLanguage(...given);
  if (!chosen) throw new AppError("language_required", { param: "language" });
  return chosen;
};
