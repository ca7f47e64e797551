import { identifiableLanguages } from "../../../shared/models/language-id/identification.ts";
import { type Language, languages } from "../../../shared/platform/catalogue/languages.ts";
import { findSynthesisLanguage } from "../../../shared/platform/catalogue/voices.ts";
import type { LanguageUse } from "./pages.ts";

/** A language of the catalogue with everything that it can be used for. */
export interface ListedLanguage extends Pick<Language, "code" | "name" | "aliases"> {
  readonly uses: Readonly<Record<LanguageUse, boolean>>;
  readonly voices: readonly string[];
}

/** Every language of the catalogue, by name. */
export const listedLanguages: readonly ListedLanguage[] = languages
  .map(({ code, name, aliases, tasks }) => {
    const voices = findSynthesisLanguage(code)?.voices ?? [];
    return {
      ...{ code, name, aliases, voices },
      uses: {
        translate: tasks.includes("translation"),
        identify: identifiableLanguages.some((known) => known === code),
        transcribe: tasks.includes("transcription"),
        speak: voices.length > 0,
      },
    };
  })
  .toSorted((one, other) => one.name.localeCompare(other.name));

/** The languages for a task, or all, whose name, code or other names contain the words. */
export const findLanguages = (task: LanguageUse | undefined, words = ""): readonly ListedLanguage[] => {
  const sought = words.toLowerCase();
  return listedLanguages.filter(
    ({ code, name, aliases, uses }) =>
      (task === undefined || uses[task]) &&
      [code, name, ...aliases].some((known) => known.toLowerCase().includes(sought)),
  );
};
