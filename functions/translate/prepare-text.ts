import type { MarkupFormat } from "../../shared/documents/document-tools.ts";
import type { UntranslatedSegment } from "../../shared/documents/segments/untranslated-segment.ts";
import type { TokenUsage } from "../../shared/models/inference/chat.ts";
import type { Translator } from "../../shared/models/inference/translation.ts";
import type { LanguagePair } from "../../shared/platform/catalogue/choose-languages.ts";

/** The formats of a text in a request. */
export const textFormats = ["text", "html", "markdown"] as const;
export type TextFormat = (typeof textFormats)[number];

/** A text and what to do with it. */
export interface TextToTranslate extends LanguagePair {
  readonly text: string;
  readonly format: TextFormat;
}

export interface TranslatedText {
  readonly text: string;
  /** Absent for plain text, which is translated as a whole. */
  readonly untranslated?: readonly UntranslatedSegment[];
  /** The code points that were translated, without markup, each distinct passage once. */
  readonly characters: number;
  readonly usage: TokenUsage | undefined;
}

/** A text that is ready to be translated. */
export interface PreparedText {
  /** The code points to translate. */
  readonly characters: number;
  /** @throws AppError as the translator does. */
  readonly translate: (translator: Translator, signal: AbortSignal) => Promise<TranslatedText>;
}

const loadDocumentTools = () => import("../../shared/documents/document-tools.ts");

/** Sums token counts. The sum is unknown when one of them is. */
const sumOf = (usages: readonly (TokenUsage | undefined)[]): TokenUsage | undefined => {
  const sum = (field: keyof TokenUsage): number | null =>
    usages.reduce<number | null>((total, usage) => {
      const tokens = usage?.[field] ?? null;
      return total === null || tokens === null ? null : total + tokens;
    }, 0);
  return usages.some((usage) => usage !== undefined)
    ? {
        prompt_tokens: sum("prompt_tokens"),
        completion_tokens: sum("completion_tokens"),
        total_tokens: sum("total_tokens"),
      }
    : undefined;
};

const preparePlain = (text: string, languages: Languages): PreparedText => {
  const characters = [...text].length;
  return {
    characters,
    translate: async (translator, signal) => {
      const translated = await translator.translate({ text, ...languages }, { signal });
      return { text: translated.text, characters, usage: translated.usage };
    },
  };
};

/** The names of languages, as models know them. */
interface Languages {
  readonly sourceLanguage: string | undefined;
  readonly targetLanguage: string;
}

const prepareMarkup = async (
  source: string,
  format: MarkupFormat,
  languages: Languages,
): Promise<PreparedText> => {
  const { openMarkup } = await loadDocumentTools();
  const opened = openMarkup(source, format);
  return {
    characters: opened.characters,
    translate: async (translator, signal) => {
      const usages: (TokenUsage | undefined)[] = [];
      const { text, untranslated, characters } = await opened.translate(async (passage, { keep }) => {
        const translated = await translator.translate({ text: passage, keep, ...languages }, { signal });
        usages.push(translated.usage);
        return translated.text;
      });
      return { text, untranslated, characters, usage: sumOf(usages) };
    },
  };
};

/** Reads a text. The model sees plain text exactly as it was sent, and the passages of markup one by one. */
export const prepareText = async ({
  text,
  format,
  source,
  target,
}: TextToTranslate): Promise<PreparedText> => {
  const languages = { sourceLanguage: source?.name, targetLanguage: target.name };
  return format === "text" ? preparePlain(text, languages) : prepareMarkup(text, format, languages);
};
