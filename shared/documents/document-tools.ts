import type { DocumentFormat } from "./document-formats.ts";
import { readCsv } from "./formats/csv.ts";
import { openDocx } from "./formats/docx.ts";
import { readHtml } from "./formats/html.ts";
import { readJsonTexts } from "./formats/json.ts";
import { readMarkdown } from "./formats/markdown.ts";
import { readText } from "./formats/plain-text.ts";
import { readPo } from "./formats/po.ts";
import { readSrt, readVtt } from "./formats/subtitles.ts";
import { readXliff } from "./formats/xliff.ts";
import { readXml, type XmlOptions } from "./formats/xml.ts";
import { requireFewParts } from "./segments/document-size.ts";
import { isUntranslated } from "./segments/reply-faults.ts";
import type { ParsedDocument } from "./segments/segment.ts";
import { withoutSharedBeginning } from "./segments/shared-beginning.ts";
import {
  assembleDocument,
  type Passage,
  type PassageResult,
  passagesOf,
  type TranslatedDocument,
  type TranslatePassage,
  translateDocument,
  translatePassage,
} from "./segments/translate-segments.ts";
import { UnreadableDocument } from "./segments/unreadable-document.ts";
import type { UntranslatedSegment } from "./segments/untranslated-segment.ts";

/** Options of the parser, in addition to the format. */
export interface DocumentOptions {
  /** The columns of a table to translate; by default those that hold words. */
  readonly columns?: readonly string[] | undefined;
}

type TextFormat = Exclude<DocumentFormat, "docx">;

const readers: Readonly<Record<TextFormat, (source: string, options: DocumentOptions) => ParsedDocument>> = {
  text: (source) => readText(source),
  markdown: (source) => readMarkdown(source),
  html: (source) => readHtml(source),
  srt: (source) => readSrt(source),
  vtt: (source) => readVtt(source),
  po: (source) => readPo(source),
  xliff: (source) => readXliff(source),
  json: (source) => readJsonTexts(source),
  csv: (source, options) => readCsv(source, options),
};

/** The formats of a text in a request, other than plain text. */
export type MarkupFormat = "html" | "markdown" | "xml";

/** How the elements of a text with markup are read. HTML has rules of its own for all but `ignored`. */
export type MarkupOptions = XmlOptions;

const readMarkup = (source: string, format: MarkupFormat, options: MarkupOptions): ParsedDocument => {
  if (format === "xml") return readXml(source, options);
  return format === "html" ? readHtml(source, options) : readMarkdown(source);
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
  const document = readMarkup(source, format, options);
  const passages = passagesOf(document);
  return {
    sample: sampleOf(passages),
    characters: countCharacters(passages),
    translate: (translate) => translateDocument(document, translate),
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

const openParts = (
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
      return translatePassage(found.document, found.passage, translate);
    },
    write: (given) => {
      const results = withoutSharedBeginning(
        passages.map(({ passage }) => passage),
        given,
      );
      const texts = new Map<string, string>();
      const untranslated: UntranslatedSegment[] = [];
      let [first, segments, characters] = [0, 0, 0];
      for (const { name, document, passages: own } of read) {
        const written = assembleDocument(document, own, results.slice(first, first + own.length));
        for (const { index, reason } of written.untranslated) {
          untranslated.push({ index: index + segments, reason });
        }
        if (written.text !== document.source) texts.set(name, written.text);
        characters += written.characters;
        first += own.length;
        segments += document.segments.length;
      }
      const isNone = isUntranslated(untranslated, segments);
      return { bytes: write(texts), untranslated, isUntranslated: isNone, characters };
    },
  };
};

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const decode = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new UnreadableDocument("The document is not encoded in UTF-8.", { cause: error });
  }
};

/** More characters without a letter cost more than they can say. */
const maxWordless = 1_000;

/** Reads a document. @throws UnreadableDocument */
export const openDocument = (
  bytes: Uint8Array,
  format: DocumentFormat,
  options: DocumentOptions = {},
): OpenedDocument => {
  if (format === "docx") {
    const { parts, write } = openDocx(bytes);
    return openParts(parts, write);
  }
  const source = decode(bytes);
  requireFewParts([source], format);
  // Without a letter, or a reference to one, there is nothing to read but what is wrong.
  const isRead = source.length < maxWordless || /[\p{L}&]/u.test(source);
  const document = isRead ? readers[format](source, options) : { source, segments: [] };
  const name = format;
  return openParts([{ name, document }], (texts) => {
    const text = texts.get(name);
    return text === undefined ? bytes : new TextEncoder().encode(text);
  });
};
