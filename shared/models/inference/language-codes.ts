import { findLanguage, shortestCode } from "../../platform/catalogue/languages.ts";
import type { LanguageCodes } from "./profile-schema.ts";

/** What a profile says of a task's languages. */
interface LanguageHabits {
  readonly languages?: readonly string[] | undefined;
  readonly language_codes?: LanguageCodes;
}

/** Whether a model serves a language, as far as its profile says. @param code of ISO 639-3. */
export const servesLanguage = ({ languages, language_codes: codes }: LanguageHabits, code: string): boolean =>
  (languages === undefined || languages.includes(code)) &&
  (typeof codes !== "object" || Object.hasOwn(codes, code));

/** The ISO 639-3 code of a language as a model's server names it; `undefined` for one that is not known here. */
export const codeFromWire = (codes: LanguageCodes, named: string): string | undefined => {
  const name = named.trim().toLowerCase();
  if (typeof codes !== "object") return findLanguage(name)?.code;
  return Object.keys(codes).find((code) => codes[code]?.toLowerCase() === name);
};

/**
 * How a model's server names a language; `undefined` if it is not named.
 *
 * @param code of ISO 639-3, of a language that the model serves
 */
export const codeOnWire = (codes: LanguageCodes, code: string): string | undefined => {
  if (typeof codes === "object") return codes[code];
  if (codes === "none") return undefined;
  const language = findLanguage(code);
  if (!language || codes === "iso639-3") return code;
  return codes === "names" ? language.name : shortestCode(language);
};
