import { findLanguage, shortestCode } from "../../../shared/platform/catalogue/languages.ts";
import { undeterminedLanguage } from "../../../shared/recordings/jobs/job.ts";

/** The name of a language as the catalogue has it. @param undetermined what is shown for a language that is not determined yet. */
export const nameOfLanguage = (code: string, undetermined = code): string =>
  code === undeterminedLanguage ? undetermined : (findLanguage(code)?.name ?? code);

/** For the `lang` attribute: browsers know the shortest tags. */
export const tagOf = (code: string): string => {
  const language = findLanguage(code);
  return language ? shortestCode(language) : code;
};
