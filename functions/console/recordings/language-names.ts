import { findLanguage, shortestCode } from "../../../shared/platform/catalogue/languages.ts";

/** The name of a language as the catalogue has it. */
export const nameOfLanguage = (code: string): string => findLanguage(code)?.name ?? code;

/** For the `lang` attribute: browsers know the shortest tags. */
export const tagOf = (code: string): string => {
  const language = findLanguage(code);
  return language ? shortestCode(language) : code;
};
