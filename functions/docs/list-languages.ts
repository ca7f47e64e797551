import { identifiableLanguages } from "../../shared/models/language-id/identification.ts";
import { languages } from "../../shared/platform/catalogue/languages.ts";
import { findSynthesisLanguage } from "../../shared/platform/catalogue/voices.ts";
import type { LanguagesResponse } from "./contract.ts";

const identifiable: ReadonlySet<string> = new Set(identifiableLanguages);

/** All languages and what each supports. Speech requires a voice, even if the model was trained on the language. */
export const listLanguages = (): LanguagesResponse => ({
  languages: languages.map(({ code, name, aliases, tasks }) => {
    const voices = findSynthesisLanguage(code)?.voices ?? [];
    return {
      code,
      name,
      aliases: [...aliases],
      tasks: [
        ...(tasks.includes("translation") ? (["translate"] as const) : []),
        ...(tasks.includes("transcription") ? (["transcribe"] as const) : []),
        ...(voices.length > 0 ? (["speech"] as const) : []),
        ...(identifiable.has(code) ? (["identify"] as const) : []),
      ],
      voices: [...voices],
    };
  }),
});
