import { strFromU8, strToU8, Unzip, UnzipInflate, zipSync } from "fflate";
import { requireFewParts } from "../segments/document-size.ts";
import { createPassageReader, type PassageReader, type Syntax } from "../segments/read-words.ts";
import type { DocumentSegment, ParsedDocument, Range, SegmentPiece } from "../segments/segment.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";
import { readXmlTokens, type XmlToken } from "../segments/xml-tokens.ts";

/** Limits of what is unpacked: text is compressed to about a tenth, a bomb to a thousandth. */
const maxUnpackedBytes = 60 * 1_024 * 1_024;
const maxTextBytes = 20 * 1_024 * 1_024;
/** In UTF-16 units, without formatting: as much as a document has that is text only. */
const maxWords = 10 * 1_024 * 1_024;
const maxFiles = 2_000;

/** So much is unpacked at a time, so that a bomb is noticed before it fills the memory. */
const chunkBytes = 16 * 1_024;

const mainPart = "word/document.xml";
const textParts = /^word\/(?:document|header\d*|footer\d*|footnotes|endnotes)\.xml$/;

interface ZippedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const damaged = (cause?: unknown): UnreadableDocument =>
  new UnreadableDocument("The document is not a DOCX file, or it is damaged or protected by a password.", {
    cause,
  });

/** Unpacks a ZIP file. @throws UnreadableDocument, also when it unpacks to too much. */
const unpack = (zipped: Uint8Array): ZippedFile[] => {
  const files: { readonly name: string; readonly chunks: Uint8Array[]; isComplete: boolean }[] = [];
  let unpacked = 0;
  const unzip = new Unzip((file) => {
    const found: (typeof files)[number] = { name: file.name, chunks: [], isComplete: false };
    files.push(found);
    file.ondata = (error, chunk, isLast) => {
      if (error) throw error;
      found.chunks.push(chunk);
      found.isComplete ||= isLast;
      unpacked += chunk.length;
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  for (let start = 0; start < zipped.length; start += chunkBytes) {
    try {
      unzip.push(zipped.subarray(start, start + chunkBytes), start + chunkBytes >= zipped.length);
    } catch (error) {
      throw damaged(error);
    }
    if (unpacked > maxUnpackedBytes || files.length > maxFiles) {
      throw new UnreadableDocument("The document unpacks to more than 60 MB or 2,000 files.");
    }
  }
  if (files.some(({ isComplete }) => !isComplete)) throw damaged();
  return files.map(({ name, chunks }) => ({ name, bytes: Buffer.concat(chunks) }));
};

const references: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const decode = (written: string): string => {
  const name = written.slice(1, -1);
  if (!name.startsWith("#")) return references[name] ?? written;
  const isHexadecimal = name.startsWith("#x");
  const code = Number.parseInt(name.slice(isHexadecimal ? 2 : 1), isHexadecimal ? 16 : 10);
  return code > 0x1f && code <= 0x10ffff ? String.fromCodePoint(code) : written;
};

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const xmlSyntax: Syntax = {
  escaped: /&#?\w+;/g,
  decode,
  special: "&<>",
  neverPlain: "&<",
  // Characters that XML cannot contain are left out.
  escape: (character) => escapes[character] ?? character,
  blank: /(?<![ \t])[ \t]*[\r\n][ \t\r\n]*/g,
};

/** What Word leaves between two parts of the same text: where it was edited or checked, and where a page ended. */
const trifles = new Set(["w:t", "w:r", "w:rPr", "w:proofErr", "w:lastRenderedPageBreak"]);

/** A text of a paragraph, how it looks, and whether it continues the one before. */
interface Text extends Range {
  readonly format: string;
  readonly isContinued: boolean;
}

/** A paragraph whose end has not been read. Text boxes have paragraphs of their own inside of one. */
interface Paragraph {
  readonly texts: Text[];
  /** The format of the present run. */
  format: string;
  /** Whether only trifles came since the last text. */
  isContinued: boolean;
}

/** The properties of a run without those that no reader sees. */
const formatOf = (properties: string): string =>
  properties.replaceAll(/^<w:rPr>|<w:(?:lang|noProof|rsid)\b[^>]*\/>|\s+w:rsid\w*="[^"]*"|<\/w:rPr>$/g, "");

/** Returns the texts of all paragraphs. */
const readParagraphs = (source: string, tokens: readonly XmlToken[]): Text[][] => {
  const read: Text[][] = [];
  const open: Paragraph[] = [];
  let propertiesStart: number | undefined;
  let isText = false;
  for (const { kind, name, start, end } of tokens) {
    const paragraph = open.at(-1);
    if (name === "w:p" && kind === "open") open.push({ texts: [], format: "", isContinued: false });
    if (name === "w:p" && kind === "close" && paragraph) {
      read.push(paragraph.texts);
      open.pop();
      const around = open.at(-1);
      if (around) around.isContinued = false;
    }
    if (!paragraph) continue;
    if (name === "w:r" && kind === "open") paragraph.format = "";
    if (name === "w:rPr" && kind === "open") propertiesStart = start;
    if (name === "w:rPr" && kind === "close" && propertiesStart !== undefined) {
      paragraph.format = formatOf(source.slice(propertiesStart, end));
      propertiesStart = undefined;
    } else if (kind === "text" && isText) {
      const { format, isContinued } = paragraph;
      const isSame = isContinued && paragraph.texts.at(-1)?.format === format;
      paragraph.texts.push({ start, end, format, isContinued: isSame });
      paragraph.isContinued = true;
    } else if (propertiesStart === undefined && kind !== "text" && !trifles.has(name)) {
      paragraph.isContinued = false;
    }
    if (name === "w:t") isText = kind === "open";
  }
  return read;
};

/** Returns the segment of a paragraph: what is between two texts that do not continue each other is a mask. */
const segmentsOf = (texts: readonly Text[], words: PassageReader): DocumentSegment[] => {
  const pieces: SegmentPiece[] = [];
  let last: Text | undefined;
  for (const text of texts) {
    if (last && !text.isContinued) {
      pieces.push({ kind: "mask", role: "alone", start: last.end, end: text.start });
    }
    for (const piece of words.read(text)) pieces.push(piece);
    last = text;
  }
  return words.segmentsOf(pieces, { isOrdered: true });
};

/** One of the texts of a file, before its words are read. */
interface Part {
  readonly name: string;
  readonly source: string;
  readonly paragraphs: readonly (readonly Text[])[];
}

const parsePart = ({ name, source: written }: { readonly name: string; readonly source: string }): Part => {
  // A translation may begin with a space where its source does not.
  const source = written.replaceAll("<w:t>", '<w:t xml:space="preserve">');
  return { name, source, paragraphs: readParagraphs(source, readXmlTokens(source)) };
};

const wordsOf = ({ paragraphs }: Part): number =>
  paragraphs.flat().reduce((sum, { start, end }) => sum + end - start, 0);

const readPart = ({ source, paragraphs }: Part): ParsedDocument => {
  const segments = paragraphs.flatMap((texts) => segmentsOf(texts, createPassageReader(source, xmlSyntax)));
  return {
    source,
    segments: segments.toSorted((one, other) => one.pieces[0].start - other.pieces[0].start),
  };
};

/** A DOCX file: its texts by the names of their files, and how they become a file again. */
export interface OpenedDocx {
  readonly parts: readonly { readonly name: string; readonly document: ParsedDocument }[];
  /** Returns the file with some of its texts replaced. All other files in it stay. */
  readonly write: (texts: ReadonlyMap<string, string>) => Uint8Array;
}

/**
 * Reads a DOCX file: its text with headers, footers and notes. Each paragraph is a segment, whose formatting is masked.
 *
 * @throws UnreadableDocument
 */
export const openDocx = (bytes: Uint8Array): OpenedDocx => {
  const files = unpack(bytes);
  if (!files.some(({ name }) => name === mainPart)) throw damaged();
  const texts = files.filter(({ name }) => textParts.test(name));
  if (texts.reduce((sum, file) => sum + file.bytes.length, 0) > maxTextBytes) {
    throw new UnreadableDocument("The text of the document, with its formatting, has more than 20 MB.");
  }
  const sources = texts.map((file) => ({ name: file.name, source: strFromU8(file.bytes) }));
  requireFewParts(
    sources.map(({ source }) => source),
    "docx",
  );
  const parts = sources.map(parsePart);
  if (parts.reduce((sum, part) => sum + wordsOf(part), 0) > maxWords) {
    throw new UnreadableDocument("The document has more than 10 MB of text. Divide it.", {
      isTooLarge: true,
    });
  }
  return {
    parts: parts.map((part) => ({ name: part.name, document: readPart(part) })),
    write: (replaced) => {
      if (replaced.size === 0) return bytes;
      const written = files.map((file): [string, Uint8Array] => {
        const text = replaced.get(file.name);
        return [file.name, text === undefined ? file.bytes : strToU8(text)];
      });
      // As Word writes them: without a time, so the same text makes the same file.
      return zipSync(Object.fromEntries(written), { mtime: new Date(1980, 0, 1) });
    },
  };
};
