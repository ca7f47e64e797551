import type { DocumentFormat } from "./document-formats.ts";
import { readAndroid } from "./formats/android.ts";
import { readAss } from "./formats/ass.ts";
import { readCsv } from "./formats/csv.ts";
import { readHtml } from "./formats/html.ts";
import { readArb, readJsonTexts } from "./formats/json.ts";
import { readKeyValues } from "./formats/key-values.ts";
import { readMarkdown } from "./formats/markdown.ts";
import { type OfficeFormat, openOffice } from "./formats/office.ts";
import { readText } from "./formats/plain-text.ts";
import { readPo } from "./formats/po.ts";
import { withCharset } from "./formats/po-header.ts";
import { readSrt, readVtt } from "./formats/subtitles.ts";
import { readXliff } from "./formats/xliff.ts";
import { readXml, type XmlOptions } from "./formats/xml.ts";
import { readYaml } from "./formats/yaml.ts";
import { decodeDocument } from "./segments/decode-text.ts";
import { requireFewParts } from "./segments/document-size.ts";
import type { DocumentLanguages } from "./segments/language-tags.ts";
import { isUntranslated } from "./segments/reply-faults.ts";
import { type ParsedDocument, writeDocument } from "./segments/segment.ts";
import { type Passage, type PassageResult, withoutSharedBeginning } from "./segments/shared-beginning.ts";
import {
  judgeReplies,
  passagesOf,
  type TranslatedDocument,
  type TranslatePassage,
  translateDocument,
  translatePassage,
} from "./segments/translate-segments.ts";
import type { UntranslatedSegment } from "./segments/untranslated-segment.ts";
import { surroundingWords } from "./surrounding-words.ts";

/** Options of the parser, in addition to the format. */
export interface DocumentOptions {
  /** The columns of a table to translate; by default those that hold words. */
  readonly columns?: readonly string[] | undefined;
  /** Whether the first row of a table has the names of its columns; by default that follows from what it contains. */
  readonly header?: boolean | undefined;
  /** What the document names as its languages afterwards; by default that stays. */
  readonly languages?: DocumentLanguages | undefined;
  /** Whether translations that the document has are replaced. */
  readonly retranslate?: boolean | undefined;
  /** Whether entries that were fuzzy still say so when they are translated; by default they do. */
  readonly keepsFuzzy?: boolean | undefined;
}

type TextFormat = Exclude<DocumentFormat, OfficeFormat>;

const isOffice = (format: DocumentFormat): format is OfficeFormat =>
  format === "docx" || format === "pptx" || format === "xlsx" || format === "odt";

const readers: Readonly<Record<TextFormat, (source: string, options: DocumentOptions) => ParsedDocument>> = {
  text: (source, { languages }) => readText(source, languages?.target),
  markdown: (source, { languages }) => readMarkdown(source, languages?.target),
  html: (source, { languages }) => readHtml(source, { languages }),
  srt: (source, { languages }) => readSrt(source, languages),
  vtt: (source, { languages }) => readVtt(source, languages),
  po: readPo,
  xliff: readXliff,
  json: (source, { languages }) => readJsonTexts(source, languages?.target),
  arb: (source, { languages }) => readArb(source, languages),
  yaml: (source, { languages }) => readYaml(source, { languages }),
  properties: (source, { languages }) => readKeyValues(source, "properties", languages?.target),
  strings: (source, { languages }) => readKeyValues(source, "strings", languages?.target),
  android: (source, { languages }) => readAndroid(source, languages),
  ass: (source, { languages }) => readAss(source, languages?.target),
  csv: (source, { languages, ...options }) => readCsv(source, { ...options, target: languages?.target }),
};

/** The formats of a text in a request, other than plain text. A `guarded` one is plain text with placeholders that stay. */
export type MarkupFormat = "html" | "markdown" | "xml" | "guarded";

/** How the elements of a text with markup are read. HTML has rules of its own for all but `ignored` and `target`. */
export type MarkupOptions = XmlOptions;

const readMarkup = (source: string, format: MarkupFormat, options: MarkupOptions): ParsedDocument => {
  if (format === "xml") return readXml(source, options);
  if (format === "guarded") return readText(source, options.target);
  return format === "html" ? readHtml(source, options) : readMarkdown(source, options.target);
};

/** A text with markup that has been read. */
export interface OpenedMarkup {
  /** The start of its words: enough to detect their language. */
  readonly sample: string;
  /** The code points to translate, each distinct passage once. */
  readonly characters: number;
  /** @throws what `translate` throws. */
  readonly translate: (translate: TranslatePassage) => Promise<TranslatedDocument>;
}

const countCharacters = (passages: readonly Passage[]): number =>
  passages.reduce((sum, { characters }) => sum + characters, 0);

const sampleLength = 1_000;

/** Returns the start of the words of passages, one a line. */
const sampleOf = (passages: readonly Passage[]): string => {
  let sample = "";
  for (const { text } of passages) {
    if (sample.length >= sampleLength) break;
    sample += `${text.slice(0, sampleLength)}\n`;
  }
  return sample;
};

/** What a whole document begins with, and a part of one does not have. */
const xmlBeginning = /^\uFEFF?(?:\s*<\?xml\b[^>]*\?>)?(?:\s*<!DOCTYPE\b[^>[]*>)?/;

/**
 * Reads a text with markup. Functions load this module when they need it (`infra/bundling/on-demand-modules.ts`).
 *
 * @throws UnreadableDocument for XML that is not well-formed.
 */
export const openMarkup = (
  source: string,
  format: MarkupFormat,
  options: MarkupOptions = {},
): OpenedMarkup => {
  const [mark = ""] =
    (format === "xml" || format === "guarded" ? xmlBeginning : /^\uFEFF?/).exec(source) ?? [];
  const document = readMarkup(source.slice(mark.length), format, options);
  const passages = passagesOf(document);
  return {
    sample: sampleOf(passages),
    characters: countCharacters(passages),
    translate: async (translate) => {
      const translated = await translateDocument(document, translate);
      return { ...translated, text: mark + translated.text };
    },
  };
};

/** A document that has been read. */
export interface OpenedDocument {
  /** The start of its words: enough to detect their language. */
  readonly sample: string;
  /** The code points of each distinct passage, in the order of the document. */
  readonly passages: readonly number[];
  /** Translates a passage by its index. @throws what `translate` throws. */
  readonly translatePassage: (index: number, translate: TranslatePassage) => Promise<PassageResult>;
  /** Writes the document with the results of its passages, by their index. Those without one stay as they are. */
  readonly write: (results: readonly (PassageResult | undefined)[]) => WrittenDocument;
}

/** A document with translations. */
export interface WrittenDocument {
  readonly bytes: Uint8Array;
  readonly untranslated: readonly UntranslatedSegment[];
  /** Whether the model failed at more than three segments, and at more than half of them. */
  readonly isUntranslated: boolean;
  /** The code points that were translated, each distinct passage once. */
  readonly characters: number;
}

/** One of the texts of a document; most formats have one. */
interface DocumentPart {
  readonly name: string;
  readonly document: ParsedDocument;
}

/** A subtitle is often a part of a sentence. */
const subtitles: ReadonlySet<DocumentFormat> = new Set(["srt", "vtt", "ass"]);

const openParts = (
  format: DocumentFormat,
  parts: readonly DocumentPart[],
  write: (texts: ReadonlyMap<string, string>) => Uint8Array,
): OpenedDocument => {
  const read = parts.map((part) => ({ ...part, passages: passagesOf(part.document) }));
  const passages = read.flatMap(({ document, passages: own }) =>
    own.map((passage) => ({ document, passage })),
  );
  return {
    sample: sampleOf(passages.map(({ passage }) => passage)),
    passages: passages.map(({ passage }) => passage.characters),
    translatePassage: async (index, translate) => {
      const found = passages[index];
      if (!found) throw new RangeError("There is no such passage.");
      const isItem = found.document.segments[found.passage.segments[0] ?? -1]?.isItem;
      const hasContext = isItem || subtitles.has(format);
      const context = hasContext
        ? surroundingWords((position) => passages[position]?.passage.text, index)
        : undefined;
      return translatePassage(found.document, found.passage, translate, context);
    },
    write: (given) => {
      const results = withoutSharedBeginning(
        passages.map(({ passage }) => passage),
        given,
      );
      const untranslated: UntranslatedSegment[] = [];
      let [first, segments, characters] = [0, 0, 0];
      const judged = read.map(({ name, document, passages: own }) => {
        const replies = judgeReplies(document, own, results.slice(first, first + own.length));
        for (const { index, reason } of replies.untranslated) {
          untranslated.push({ index: index + segments, reason });
        }
        characters += replies.characters;
        first += own.length;
        segments += document.segments.length;
        return { name, document, translations: replies.translations };
      });
      const isTranslated = judged.some(({ translations }) => translations.size > 0);
      const texts = new Map<string, string>();
      for (const { name, document, translations } of judged) {
        const text = writeDocument(document, translations, isTranslated);
        if (text !== document.source) texts.set(name, text);
      }
      const isNone = isUntranslated(untranslated, segments);
      return { bytes: write(texts), untranslated, isUntranslated: isNone, characters };
    },
  };
};

/** More characters without a letter cost more than they can say. */
const maxWordless = 1_000;

/** Reads a document. @throws UnreadableDocument */
export const openDocument = (
  bytes: Uint8Array,
  format: DocumentFormat,
  options: DocumentOptions = {},
): OpenedDocument => {
  if (isOffice(format)) {
    const { parts, write } = openOffice(bytes, format, options.languages);
    return openParts(format, parts, write);
  }
  const { text: source, encode } = decodeDocument(bytes);
  requireFewParts([source], format);
  // Without a letter, or a reference to one, there is nothing to read but what is wrong.
  const isRead = source.length < maxWordless || /[\p{L}&]/u.test(source);
  const document = isRead ? readers[format](source, options) : { source, segments: [] };
  const name = format;
  return openParts(format, [{ name, document }], (texts) => {
    const text = texts.get(name);
    if (text === undefined) return bytes;
    return encode(format === "po" ? withCharset(text) : text);
  });
};
