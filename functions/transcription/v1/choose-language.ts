import { findTranscriptionModel } from "../../../shared/platform/catalogue/audio-models.ts";
import {
  findLanguage,
  type Language,
  transcriptionLanguages,
} from "../../../shared/platform/catalogue/languages.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import {
  type AccountsLanguages,
  checkCandidates,
  languagesOfAccount,
} from "../../../shared/recordings/spoken-language/candidates.ts";

interface NamedLanguages {
  readonly model: string;
  readonly language?: string | undefined;
  readonly languages?: readonly string[] | undefined;
}

const supported = transcriptionLanguages.map(({ code, name }) => ({ code, name }));

const findIn = (param: string, value: string): Language => {
  const found = findLanguage(value, "transcription");
  if (found) return found;
  throw new AppError("unsupported_language", {
    message: `Unsupported language '${value}'. GET /languages lists the languages that can be transcribed.`,
    param,
    extra: { supported_languages: supported },
  });
};

const languageRequired = (otherWays: string) =>
  new AppError("language_required", {
    message:
      "The language of the recording is not known: name it in `language` or in the model (`stt-51:lug`), " +
      `${otherWays} of your account with PUT /auth/profile.`,
    param: "language",
  });

/**
 * The languages that a recording may be in: one when the request, its model or the account names it; several when these name
 * candidates; none otherwise.
 * @throws AppError `model_not_found` or `unsupported_language`.
 */
const languagesOf = (
  { model, language, languages = [] }: NamedLanguages,
  account: AccountsLanguages,
): readonly Language[] => {
  const named = findTranscriptionModel(model);
  if (!named) {
    throw new AppError("model_not_found", {
      message: "Unknown transcription model; use `stt-51`, or `stt-51:lug` for one language.",
      param: "model",
    });
  }
  if (language !== undefined) return [findIn("language", language)];
  const candidates = [...new Set(languages.map((each) => findIn("languages", each)))];
  if (named.language) return [named.language];
  if (candidates.length > 0) return candidates;
  return languagesOfAccount(account);
};

/**
 * The same.
 * @param detects whether a model of this service detects languages.
 * @throws AppError `language_required` too when there are none, and `unsupported_parameter` when there are too many, where no model
 * detects languages.
 */
export const languagesOfForm = (
  named: NamedLanguages,
  account: AccountsLanguages,
  detects: boolean,
): readonly Language[] => {
  const languages = languagesOf(named, account);
  if (languages.length === 0 && !detects)
    throw languageRequired(
      "or up to three in `languages`, of which one is determined. Or set the `default_language` or `default_languages`",
    );
  checkCandidates(languages, detects);
  return languages;
};

/** The only language of a recording. @throws AppError `model_not_found`, `unsupported_language` or `language_required`. */
export const chooseLanguage = (named: NamedLanguages, account: AccountsLanguages): Language => {
  const [language, ...others] = languagesOf(named, account);
  if (language && others.length === 0) return language;
  throw languageRequired("or set the `default_language`");
};
