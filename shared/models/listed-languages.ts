import { type Language, languages } from "../platform/catalogue/languages.ts";
import { findSynthesisLanguage } from "../platform/catalogue/voices.ts";
import { onFirstUse } from "../platform/on-first-use.ts";
import { identifiableLanguages } from "./language-id/identification.ts";

/** What a language can be used for, in the order of the table. */
export const languageTasks = ["translate", "identify", "transcribe", "speak"] as const;
export type LanguageUse = (typeof languageTasks)[number];

/** A language of the catalogue with everything that it can be used for. */
export interface ListedLanguage extends Pick<Language, "code" | "name" | "aliases"> {
  readonly uses: Readonly<Record<LanguageUse, boolean>>;
  readonly voices: readonly string[];
}

/** Every language of the catalogue, by name. */
const listedLanguages = onFirstUse((): readonly ListedLanguage[] =>
  languages
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
    .toSorted((one, other) => one.name.localeCompare(other.name)),
);

/** The languages for a task, or all, whose name, code or other names contain the words. */
export const findLanguages = (task: LanguageUse | undefined, words = ""): readonly ListedLanguage[] => {
  const sought = words.toLowerCase();
  return listedLanguages().filter(
    ({ code, name, aliases, uses }) =>
      (task === undefined || uses[task]) &&
      [code, name, ...aliases].some((known) => known.toLowerCase().includes(sought)),
  );
};
