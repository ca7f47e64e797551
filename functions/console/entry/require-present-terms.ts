import type { Texts } from "../../../shared/pages/texts/languages.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";

/**
 * Refuses the terms of another version than the present one, in the words of the page: they have changed since it was opened.
 *
 * @throws AppError `validation_failed`.
 */
export const requirePresentTerms = (version: string, present: string, { signUp }: Texts): void => {
  if (version === present) return;
  throw new AppError("validation_failed", { message: signUp.termsChanged, param: "accepted_terms" });
};
