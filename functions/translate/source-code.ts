import type { SourceLanguageDetector } from "../../shared/models/source-language/detector.ts";
import type { Language } from "../../shared/platform/catalogue/languages.ts";
import type { TranslatedText } from "./prepare-text.ts";

/**
 * Returns the code of the language that a text was translated from: as the request names it, or as the text shows it.
 *
 * @param translated is `undefined` when the text was not translated.
 * @returns null when the model is not sure.
 */
export const sourceCodeOf = (
  named: Language | undefined,
  translated: Pick<TranslatedText, "sample"> | undefined,
  detector: SourceLanguageDetector,
): string | null => named?.code ?? (translated && detector.detect(translated.sample)?.code) ?? null;
