/** The formats of documents. */
export const documentFormats = [
  "text",
  "markdown",
  "html",
  "srt",
  "vtt",
  "ass",
  "po",
  "xliff",
  "json",
  "arb",
  "yaml",
  "properties",
  "strings",
  "android",
  "csv",
  "docx",
  "pptx",
  "xlsx",
  "odt",
] as const;
export type DocumentFormat = (typeof documentFormats)[number];

/** What a format is called on the wire, and how files of it are named: the first ending is the usual one. */
interface FormatTable {
  readonly contentType: string;
  readonly endings: readonly [string, ...string[]];
}

const officeType = "application/vnd.openxmlformats-officedocument";

/** All lists of formats and endings follow from this one. */
const formats: Readonly<Record<DocumentFormat, FormatTable>> = {
  text: { contentType: "text/plain; charset=utf-8", endings: ["txt", "text"] },
  markdown: { contentType: "text/markdown; charset=utf-8", endings: ["md", "markdown", "mdx"] },
  html: { contentType: "text/html; charset=utf-8", endings: ["html", "htm", "xhtml"] },
  srt: { contentType: "application/x-subrip; charset=utf-8", endings: ["srt"] },
  vtt: { contentType: "text/vtt; charset=utf-8", endings: ["vtt"] },
  ass: { contentType: "text/x-ssa; charset=utf-8", endings: ["ass", "ssa"] },
  po: { contentType: "text/x-gettext-translation; charset=utf-8", endings: ["po", "pot"] },
  xliff: { contentType: "application/xliff+xml; charset=utf-8", endings: ["xliff", "xlf"] },
  json: { contentType: "application/json; charset=utf-8", endings: ["json"] },
  arb: { contentType: "application/json; charset=utf-8", endings: ["arb"] },
  yaml: { contentType: "application/yaml; charset=utf-8", endings: ["yml", "yaml"] },
  properties: { contentType: "text/x-java-properties; charset=utf-8", endings: ["properties"] },
  strings: { contentType: "text/x-apple-strings; charset=utf-8", endings: ["strings"] },
  android: { contentType: "application/xml; charset=utf-8", endings: ["xml"] },
  csv: { contentType: "text/csv; charset=utf-8", endings: ["csv", "tsv"] },
  docx: { contentType: `${officeType}.wordprocessingml.document`, endings: ["docx"] },
  pptx: { contentType: `${officeType}.presentationml.presentation`, endings: ["pptx"] },
  xlsx: { contentType: `${officeType}.spreadsheetml.sheet`, endings: ["xlsx"] },
  odt: { contentType: "application/vnd.oasis.opendocument.text", endings: ["odt"] },
};

/** Returns the content type of a document. */
export const contentTypeOf = (format: DocumentFormat): string => formats[format].contentType;

/** Returns the endings of a format's files, without dots. */
export const endingsOf = (format: DocumentFormat): readonly string[] => formats[format].endings;

/** The endings of all formats, without dots. */
export const documentEndings: readonly string[] = documentFormats.flatMap(endingsOf);

const ending = (fileName: string): string => /\.([a-z\d]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? "";

/** What a document seems to be that is in none of the formats. */
export interface OtherFormat {
  /** A noun, such as `a PDF file`. */
  readonly seems: string;
}

/** What only documents of one kind begin with: also those whose name says something else. */
const certainBeginnings: readonly (readonly [DocumentFormat | OtherFormat, RegExp])[] = [
  [{ seems: "a PDF file" }, /^\s*%PDF-/],
  [{ seems: "an RTF file" }, /^\s*\{\\rtf/],
  [
    {
      seems: "a document of an older version of Office (.doc, .xls or .ppt), or one that a password protects",
    },
    /^\u00D0\u00CF.\u00E0/,
  ],
  [{ seems: "an image" }, /^(?:.PNG\r|GIF8|\u00FF\u00D8\u00FF|RIFF[\s\S]{4}WEBP)/],
  ["vtt", /^WEBVTT(?:\s|$)/],
  ["ass", /^\s*\[Script Info\]/i],
  ["xliff", /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:\w+:)?xliff\b/],
  ["android", /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<resources\b/],
  [{ seems: "a flat OpenDocument file" }, /^\s*(?:<\?xml[^>]*>\s*)?<office:document\b/],
  [
    { seems: "a property list of Apple" },
    /^bplist\d|^\s*(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE plist[^>]*>\s*)?<plist\b/,
  ],
  [{ seems: "an SVG image" }, /^\s*(?:<\?xml[^>]*>\s*)?<svg\b/],
];

/** What documents begin with whose name does not say it. */
const likelyBeginnings: readonly (readonly [DocumentFormat, RegExp])[] = [
  ["html", /^\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b/i],
  ["srt", /^\s*\d+[^\S\n]*\n\s*\d+:\d{1,2}:\d{1,2}(?:[,.:]\d{1,3})?\s*-->/],
  ["po", /^(?:#[^\n]*\n|[ \t\r]*\n)*msgid\s+"/],
  ["arb", /^\s*\{\s*"@@locale"/],
  ["json", /^\s*[[{]\s*["\]}]/],
];

/** How much of a document shows its format, in bytes. */
const shownLength = 8_192;

/** Where a ZIP file lists its files, at its end, in bytes. */
const listLength = 65_536;

const zippedFormats: readonly (readonly [DocumentFormat, RegExp])[] = [
  ["docx", /word\//],
  ["pptx", /ppt\//],
  ["xlsx", /xl\//],
];

/** Returns the format of a ZIP file. OpenDocument files should begin with its name. */
const zippedFormat = (
  bytes: Uint8Array,
  beginning: string,
  fileName: string,
): DocumentFormat | OtherFormat => {
  const type = /^.{26,60}mimetypeapplication\/([\w.+-]+)/s.exec(beginning)?.[1] ?? "";
  if (type.startsWith("vnd.oasis.opendocument.text")) return "odt";
  if (type !== "") return { seems: `a file of the type application/${type.replace(/PK$/, "")}` };
  const list = Buffer.from(bytes.slice(-listLength)).toString("latin1");
  if (ending(fileName) === "odt" && list.includes("content.xml")) return "odt";
  return zippedFormats.find(([, pattern]) => pattern.test(list))?.[0] ?? { seems: "a ZIP file" };
};

/** Without a byte order mark. Of UTF-16, every second byte is zero. */
const shownText = (bytes: Uint8Array): string => {
  const beginning = Buffer.from(bytes.slice(0, shownLength)).toString("latin1");
  const text = beginning.replace(/^(?:\u00EF\u00BB\u00BF|\u00FF\u00FE|\u00FE\u00FF)/, "");
  return text !== beginning || /^(?:[^\0]\0|\0[^\0]){8}/.test(text) ? text.replaceAll("\0", "") : text;
};

/**
 * Returns the format of a document: by its content where that is certain, else by its name. A file without an ending in no known format
 * is plain text; with one, it is what that says.
 */
export const detectFormat = (bytes: Uint8Array, fileName: string): DocumentFormat | OtherFormat => {
  const beginning = shownText(bytes);
  if (/^PK[^\w\s]{2}/.test(beginning)) return zippedFormat(bytes, beginning, fileName);
  const certain = certainBeginnings.find(([, pattern]) => pattern.test(beginning))?.[0];
  if (certain) return certain;
  if (beginning.includes("\0")) return { seems: "a binary file" };
  const named = documentFormats.find((format) => endingsOf(format).includes(ending(fileName)));
  if (named === "android") return { seems: "an XML file, and neither XLIFF nor strings of Android" };
  const likely = likelyBeginnings.find(([, pattern]) => pattern.test(beginning))?.[0];
  if (named === "json" && /"@@locale"\s*:/.test(beginning)) return "arb";
  if (named && named !== "text") return named;
  if (likely) return likely;
  const isOther = named === undefined && /[a-z]/.test(ending(fileName));
  return isOther ? { seems: `a .${ending(fileName)} file` } : "text";
};

/** Returns the name of a translated document, such as `leaflet.lug.docx`. @param language its code. */
export const translatedName = (fileName: string, language: string, format: DocumentFormat): string => {
  const found = ending(fileName);
  const isNamed = endingsOf(format).includes(found);
  const base = isNamed ? fileName.slice(0, -found.length - 1) : fileName;
  return `${base}.${language}.${isNamed ? found : formats[format].endings[0]}`;
};
