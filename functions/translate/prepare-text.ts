import type { MarkupFormat, MarkupOptions, OpenedMarkup } from "../../shared/documents/document-tools.ts";
import { mostlyUntranslated, passageRequests } from "../../shared/documents/request-passage.ts";
import { findPlaceholders } from "../../shared/documents/segments/placeholders.ts";
import { faultsOf } from "../../shared/documents/segments/reply-faults.ts";
import { isUnreadableDocument } from "../../shared/documents/segments/unreadable-document.ts";
import type { UntranslatedSegment } from "../../shared/documents/segments/untranslated-segment.ts";
import type { TokenUsage } from "../../shared/models/inference/chat.ts";
import { NoTranslation, type Translator } from "../../shared/models/inference/translation.ts";
import type { LanguagePair } from "../../shared/platform/catalogue/choose-languages.ts";
import { shortestCode } from "../../shared/platform/catalogue/languages.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";

/** The formats of a text in a request. */
export const textFormats = ["text", "html", "markdown"] as const;
export type TextFormat = (typeof textFormats)[number];

/** A text and what to do with it. */
export interface TextToTranslate extends LanguagePair {
  readonly text: string;
  /** What its request calls it, such as `items[1].text`; by default `text`. */
  readonly name?: string;
  readonly format: TextFormat | MarkupFormat;
  /** How its elements are read. */
  readonly markup?: MarkupOptions | undefined;
  /** Text that is not translated and helps the model to understand this one. */
  readonly context?: string | undefined;
  /** Whether the translation of plain text must have as many lines as the text. */
  readonly keepsLines?: boolean;
  /** Whether the text fails when a reply was no translation, because the response cannot say what stayed as it was. */
  readonly isWhole?: boolean;
}

export interface TranslatedText {
  readonly text: string;
  /** Absent for plain text, which is translated as a whole. */
  readonly untranslated?: readonly UntranslatedSegment[];
  /** The code points that were translated, without markup, each distinct passage once. */
  readonly characters: number;
  readonly usage: TokenUsage | undefined;
  /** The start of what was translated, without markup: enough to detect its language. */
  readonly sample: string;
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

/** The names of languages, as models know them. */
interface Languages {
  readonly sourceLanguage: string | undefined;
  readonly targetLanguage: string;
}

/** What the model is called with for all passages of a text. */
interface Setting extends Languages {
  readonly context: string | undefined;
}

const countLines = (text: string): number => text.split("\n").filter((line) => line.trim() !== "").length;

const preparePlain = (text: string, setting: Setting, keepsLines = false): PreparedText => {
  const characters = [...text.trim()].length;
  return {
    characters,
    translate: async (translator, signal) => {
      const usages: (TokenUsage | undefined)[] = [];
      const ask = async (words: string): Promise<string> => {
        const core = words.trim();
        if (core === "") return words;
        const translated = await translator.translate({ text: core, ...setting }, { signal });
        usages.push(translated.usage);
        return words.replace(core, () => translated.text);
      };
      const whole = await ask(text);
      const hasAllLines = !keepsLines || countLines(whole) === countLines(text);
      // A model that joins lines translates them one by one.
      const translated = hasAllLines ? whole : (await Promise.all(text.split("\n").map(ask))).join("\n");
      return { text: translated, characters, usage: sumOf(usages), sample: text };
    },
  };
};

/** @throws AppError `unreadable_document` for what is nested too deeply, or too large. */
const readMarkup = async (
  { text: source, markup, target, name = "text", isWhole }: TextToTranslate,
  format: MarkupFormat,
): Promise<OpenedMarkup> => {
  const { openMarkup } = await loadDocumentTools();
  const options = { ...markup, target: shortestCode(target) };
  try {
    return openMarkup(source, format, options);
  } catch (error) {
    if (!isUnreadableDocument(error)) throw error;
    // As DeepL does: the tags stay, wherever they are.
    if (format === "xml" && !error.isTooLarge) return openMarkup(source, "guarded", options);
    // The errors of those clients have no field for the name.
    const message = isWhole ? `${name}: ${error.message}` : error.message;
    throw new AppError("unreadable_document", { message, param: name, cause: error });
  }
};

const prepareMarkup = async (
  given: TextToTranslate,
  format: MarkupFormat,
  setting: Setting,
): Promise<PreparedText> => {
  const { isWhole } = given;
  const opened = await readMarkup(given, format);
  return {
    characters: opened.characters,
    translate: async (translator, signal) => {
      const usages: (TokenUsage | undefined)[] = [];
      const { text, untranslated, characters, isUntranslated } = await opened.translate(
        passageRequests(translator, setting, signal, ({ usage }) => usages.push(usage)),
      );
      if (isUntranslated) throw mostlyUntranslated();
      const [fault] = faultsOf(untranslated);
      if (fault && (isWhole || characters === 0)) throw new NoTranslation(fault);
      return { text, untranslated, characters, usage: sumOf(usages), sample: opened.sample };
    },
  };
};

/**
 * Reads a text. The model sees plain text exactly as it was sent, and the passages of markup one by one. For clients that know only whole
 * responses, placeholders in plain text stay.
 */
export const prepareText = async (given: TextToTranslate): Promise<PreparedText> => {
  const { text, format, source, target, context, keepsLines, isWhole } = given;
  const setting = { sourceLanguage: source?.name, targetLanguage: target.name, context };
  if (format !== "text") return prepareMarkup(given, format, setting);
  return isWhole && findPlaceholders(text).length > 0
    ? prepareMarkup(given, "guarded", setting)
    : preparePlain(text, setting, keepsLines);
};
