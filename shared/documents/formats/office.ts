import { isData } from "../segments/data-values.ts";
import { requireFewParts } from "../segments/document-size.ts";
import { type DocumentLanguages, languageRenamer, type RenameLanguage } from "../segments/language-tags.ts";
import type { DocumentEdit, DocumentSegment, ParsedDocument, Range } from "../segments/segment.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";
import { readXmlTokens, type XmlToken } from "../segments/xml-tokens.ts";
import { readOdtPart } from "./odt.ts";
import { attributeRange, readOthers } from "./office-others.ts";
import { readParagraphs } from "./office-paragraphs.ts";
import { createPartKinds } from "./office-parts.ts";
import { withUsualPrefixes } from "./office-prefixes.ts";
import { segmentsOfRuns } from "./office-runs.ts";
import { repack, unpack, type ZippedFile, zippedText } from "./zip-archive.ts";

/** The formats that are XML in a ZIP file. */
export type OfficeFormat = "docx" | "pptx" | "xlsx" | "odt";

const maxTextBytes = 20 * 1_024 * 1_024;
/** In UTF-16 units, without formatting: as much as a document has that is text only. */
const maxWords = 10 * 1_024 * 1_024;

/** What is read of a format: files by a line of their kinds. */
interface OfficeTable {
  /** The file that each document of the format has. */
  readonly main: RegExp;
  /** Files with words. */
  readonly parts: RegExp;
  /** Files that only name languages. */
  readonly settings?: RegExp;
  readonly readPart: (
    source: string,
    tokens: readonly XmlToken[],
    languages: DocumentLanguages | undefined,
  ) => DocumentSegment[];
  /** Returns whether words of a part stay, because programs read them. */
  readonly stays?: (files: readonly ZippedFile[]) => (text: string) => boolean;
}

/** The attributes that name a language. */
const languageAttributes: Readonly<Record<string, string>> = {
  "w:lang": "w:val",
  "w:themeFontLang": "w:val",
  "a:rPr": "lang",
  "a:endParaRPr": "lang",
  "a:defRPr": "lang",
  "style:text-properties": "fo:language",
};

/** Returns the properties of a run with the language that it names afterwards. */
const withLanguage = (properties: string, rename: RenameLanguage): string =>
  properties.replace(
    /(<w:lang\b[^>]*?\sw:val="|<a:rPr\b[^>]*?\slang=")([^"]*)/,
    (written, before: string, tag: string) => `${before}${rename(tag) ?? written.slice(before.length)}`,
  );

/** Returns the shapes of a layout or a master that slides fill: their words are for the author only. */
const promptsOf = (tokens: readonly XmlToken[]): Range[] => {
  if (!tokens.some(({ name }) => name === "p:sldLayout" || name === "p:sldMaster")) return [];
  const prompts: Range[] = [];
  let [start, isPrompt] = [0, false];
  for (const token of tokens) {
    if (token.name === "p:ph") isPrompt = true;
    if (token.name !== "p:sp") continue;
    if (token.kind === "open") [start, isPrompt] = [token.start, false];
    else if (isPrompt) prompts.push({ start, end: token.end });
  }
  return prompts;
};

const readRuns: OfficeTable["readPart"] = (source, tokens, languages) => {
  const rename = languageRenamer(languages);
  const prompts = promptsOf(tokens);
  const segments = [
    ...readParagraphs(source, tokens).flatMap(({ texts, names, isItem }) =>
      segmentsOfRuns(
        source,
        texts.map((text) => ({ ...text, properties: withLanguage(text.properties, rename) })),
        names,
        languages?.target,
      ).map((segment) => (isItem ? { ...segment, isItem } : segment)),
    ),
    ...readOthers(source, tokens, languages?.target),
  ];
  return segments.filter(({ pieces: [{ start }] }) =>
    prompts.every((prompt) => start < prompt.start || start > prompt.end),
  );
};

/** Numbers and codes in cells stay. So do the names of a table's columns, which are in its definition and in formulas as well. */
const staysInSheets = (files: readonly ZippedFile[]): ((text: string) => boolean) => {
  const tables = files.filter(({ name }) => /^xl\/tables\/[^/]+\.xml$/.test(name));
  const columns = tables.flatMap((file) =>
    readXmlTokens(zippedText(file)).flatMap(({ name, attributes }) =>
      /^(?:\w+:)?tableColumn$/.test(name) ? [attributes["name"]?.trim()] : [],
    ),
  );
  const names = new Set(columns);
  return (text) => isData(text) || names.has(text.trim());
};

/** Files that documents of Office have in common: pictures of words, charts, comments, and the title. */
const common = String.raw`(?:drawingml\.(?:diagramData|chart)|\.ms-office\.(?:drawingml\.diagramDrawing|chartex)|core-properties|\.(?:threaded)?comments)\+xml$|^#(?:diagramData|diagramDrawing|chart|chartEx|core-properties|comments|threadedComment)$`;

const office: Readonly<Record<OfficeFormat, OfficeTable>> = {
  docx: {
    main: /^word\/document\.xml$|wordprocessingml\.(?:document|template)\.main\+xml$|\.(?:document|template)\.macroEnabled\.main\+xml$|^#officeDocument w:document$/m,
    parts: new RegExp(
      String.raw`^word\/(?:document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml$|(?:\.main|\.header|\.footer|\.footnotes|\.endnotes)\+xml$|^#(?:officeDocument w:document|header|footer|footnotes|endnotes)$|${common}`,
      "m",
    ),
    settings:
      /^word\/(?:styles|settings|numbering)\.xml$|(?:\.styles|\.settings)\+xml$|^#(?:styles|settings)$/m,
    readPart: readRuns,
  },
  pptx: {
    main: /^ppt\/presentation\.xml$|\.(?:presentation|slideshow|template)\.main\+xml$|^#officeDocument p:presentation$/m,
    parts: new RegExp(
      String.raw`^ppt\/(?:slides\/slide|notesSlides\/notesSlide)\d+\.xml$|\.(?:slide|slideLayout|slideMaster|notesSlide)\+xml$|^#(?:slide|slideLayout|slideMaster|notesSlide)$|${common}`,
      "m",
    ),
    settings: /^ppt\/presentation\.xml$|^#officeDocument p:presentation$/m,
    readPart: readRuns,
  },
  xlsx: {
    main: /^xl\/workbook\.xml$|\.sheet\.main\+xml$|^#officeDocument (?:\w+:)?workbook$/m,
    parts: new RegExp(
      String.raw`^xl\/(?:sharedStrings|worksheets\/sheet\d+|comments\d*|drawings\/drawing\d+)\.xml$|\.(?:sharedStrings|worksheet|drawing)\+xml$|^#(?:sharedStrings|worksheet|drawing)$|${common}`,
      "m",
    ),
    readPart: readRuns,
    stays: staysInSheets,
  },
  odt: {
    main: /^content\.xml$/,
    parts: /^(?:content|styles|meta|Object \d+\/content)\.xml$/,
    readPart: (source, tokens, languages) => [
      ...readOdtPart(source, tokens, languages?.target),
      ...readOthers(source, tokens, languages?.target),
    ],
  },
};

const editLanguages = (
  source: string,
  tokens: readonly XmlToken[],
  languages: DocumentLanguages | undefined,
): DocumentEdit[] => {
  if (!languages) return [];
  const rename = languageRenamer(languages);
  return tokens.flatMap((token) => {
    const attribute = languageAttributes[token.name];
    const value = attribute === undefined ? undefined : token.attributes[attribute];
    const text = value === undefined ? undefined : rename(value);
    const range = text === undefined ? undefined : attributeRange(source, token, attribute ?? "");
    const country = attributeRange(source, token, "fo:country");
    if (!range || text === undefined) return [];
    return [{ ...range, text }, ...(country ? [{ ...country, text: "none" }] : [])];
  });
};

/** One of the texts of a file, before its words are read. */
interface Part {
  readonly name: string;
  readonly source: string;
  readonly hasWords: boolean;
}

const wordsOf = ({ pieces }: DocumentSegment): string =>
  pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("");

const readPart = (
  { source, hasWords }: Part,
  format: OfficeFormat,
  stays: ((text: string) => boolean) | undefined,
  languages: DocumentLanguages | undefined,
): ParsedDocument => {
  const tokens = readXmlTokens(source);
  const found = hasWords ? office[format].readPart(source, tokens, languages) : [];
  const segments = stays ? found.filter((segment) => !stays(wordsOf(segment))) : found;
  return {
    source,
    segments: segments.toSorted((one, other) => one.pieces[0].start - other.pieces[0].start),
    edits: editLanguages(source, tokens, languages),
  };
};

/** Returns the texts of a file. @throws UnreadableDocument */
const partsOf = (
  files: readonly ZippedFile[],
  format: OfficeFormat,
  kindsOf: (name: string) => string,
): Part[] => {
  const { parts, settings } = office[format];
  const is = (pattern: RegExp | undefined, name: string): boolean => pattern?.test(kindsOf(name)) ?? false;
  const found = files.filter(({ name }) => is(parts, name) || is(settings, name));
  if (found.reduce((sum, { bytes }) => sum + bytes.length, 0) > maxTextBytes) {
    throw new UnreadableDocument("The text of the document, with its formatting, has more than 20 MB.");
  }
  return found.map((file) => ({
    name: file.name,
    // A translation may begin with a space where its source does not.
    source: withUsualPrefixes(zippedText(file)).replaceAll(
      /<((?!a:)(?:\w+:)?t)>/g,
      '<$1 xml:space="preserve">',
    ),
    hasWords: is(parts, file.name),
  }));
};

/** A file of Office: its texts by the names of their files, and how they become a file again. */
export interface OpenedOffice {
  readonly parts: readonly { readonly name: string; readonly document: ParsedDocument }[];
  /** Returns the file with some of its texts replaced. All other files in it stay. */
  readonly write: (texts: ReadonlyMap<string, string>) => Uint8Array;
}

/**
 * Reads a file of Office: its text with headers, footers, notes and descriptions of pictures. Each paragraph is a segment.
 *
 * @throws UnreadableDocument
 */
export const openOffice = (
  bytes: Uint8Array,
  format: OfficeFormat,
  languages?: DocumentLanguages,
): OpenedOffice => {
  const name = format.toUpperCase();
  const damaged = (cause?: unknown): UnreadableDocument =>
    new UnreadableDocument(
      `The document is not a ${name} file, or it is damaged or protected by a password.`,
      {
        cause,
      },
    );
  const files = unpack(bytes, damaged);
  if (
    files.some(
      (file) => file.name === "META-INF/manifest.xml" && zippedText(file).includes("encryption-data"),
    )
  ) {
    throw damaged();
  }
  const kindsOf = createPartKinds(files);
  const { main } = office[format];
  if (!files.some((file) => main.test(kindsOf(file.name)))) throw damaged();
  const parts = partsOf(files, format, kindsOf);
  requireFewParts(
    parts.map(({ source }) => source),
    format,
  );
  const stays = office[format].stays?.(files);
  const read = parts.map((part) => ({ name: part.name, document: readPart(part, format, stays, languages) }));
  const words = read
    .flatMap(({ document }) => document.segments)
    .reduce((sum, segment) => sum + wordsOf(segment).length, 0);
  if (words > maxWords) {
    throw new UnreadableDocument("The document has more than 10 MB of text. Divide it.", {
      isTooLarge: true,
    });
  }
  return { parts: read, write: (texts) => (texts.size === 0 ? bytes : repack(files, texts)) };
};
