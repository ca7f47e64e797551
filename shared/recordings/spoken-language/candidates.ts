import { findLanguage, type Language } from "../../platform/catalogue/languages.ts";
import { AppError } from "../../platform/errors/app-error.ts";

/** In how many languages a recording is tried. */
export const maxCandidates = 3;

/**
 * Checks the languages that a recording may be in.
 *
 * @param detects whether a model of this service detects languages.
 * @throws AppError `language_required` when there are none, `unsupported_parameter` when there are too many to try, where no model detects
 * languages.
 */
export const checkCandidates = (languages: readonly unknown[], detects: boolean): void => {
  if (detects) return;
  if (languages.length === 0) throw new AppError("language_required", { param: "language" });
  if (languages.length <= maxCandidates) return;
  throw new AppError("unsupported_parameter", {
    message:
      "No model of this service detects languages: `languages` can have at most three (3), each of which is tried.",
    param: "languages",
  });
};

/** What an account says about its recordings. */
export interface AccountsLanguages {
  readonly defaultLanguage: string | undefined;
  readonly defaultLanguages: readonly string[];
}

/** The languages that the recordings of an account may be in; a stage may no longer have some of them. */
export const languagesOfAccount = ({ defaultLanguage, defaultLanguages }: AccountsLanguages): Language[] => {
  const known = (codes: readonly string[]) =>
    codes.flatMap((code) => findLanguage(code, "transcription") ?? []);
  const usual = known(defaultLanguage === undefined ? [] : [defaultLanguage]);
  return usual.length > 0 ? usual : known(defaultLanguages);
};
