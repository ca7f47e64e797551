import type { CharacterStatus } from "../../../shared/accounts/limits/character-quota.ts";
import { shortestCode, translationLanguages } from "../../../shared/platform/catalogue/languages.ts";
import type { DeeplLanguages } from "./contract.ts";

/** DeepL lists English to translate into in two forms, and its clients refuse the other one. */
const english = [
  { language: "EN-GB", name: "English (British)" },
  { language: "EN-US", name: "English (American)" },
];

/**
 * Returns the languages to translate from or into. Those with two codes are listed with both: some programs compare codes with their
 * own, which have two letters where there are such.
 */
export const listDeeplLanguages = (type: "source" | "target"): DeeplLanguages => {
  const listed = translationLanguages.flatMap((language) => {
    const { code, name } = language;
    if (code === "eng") return type === "target" ? english : [{ language: "EN", name }];
    return [...new Set([shortestCode(language), code])].map((each) => ({
      language: each.toUpperCase(),
      name,
    }));
  });
  return type === "target"
    ? listed.map((language) => ({ ...language, supports_formality: false as const }))
    : listed;
};

/** What DeepL reports for accounts without a limit. */
const noLimit = 1_000_000_000_000;

/** Returns the characters of the month for clients of DeepL. */
export const toDeeplUsage = ({ used, limit = noLimit }: CharacterStatus) => ({
  character_count: used,
  character_limit: limit,
});
