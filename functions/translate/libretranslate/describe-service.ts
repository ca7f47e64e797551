import { documentEndings } from "../../../shared/documents/document-formats.ts";
import { shortestCode, translationLanguages } from "../../../shared/platform/catalogue/languages.ts";
import { maxTextCharacters } from "../contract-limits.ts";

const codes = translationLanguages.map(shortestCode);

/** Returns the languages for clients of LibreTranslate. Each can be translated into all others. */
export const listLibreTranslateLanguages = () =>
  translationLanguages.map((language) => {
    const code = shortestCode(language);
    return { code, name: language.name, targets: codes.filter((other) => other !== code) };
  });

/** Returns what clients of LibreTranslate need to know about the service. */
export const libreTranslateSettings = () => ({
  apiKeys: true,
  charLimit: maxTextCharacters,
  frontendTimeout: 500,
  keyRequired: true,
  language: {
    source: { code: "auto", name: "Auto Detect" },
    target: { code: "lg", name: "Luganda" },
  },
  suggestions: false,
  supportedFilesFormat: documentEndings.map((ending) => `.${ending}`),
});
