/** The formats of documents. */
export const documentFormats = [
  "text",
  "markdown",
  "html",
  "srt",
  "vtt",
  "po",
  "xliff",
  "json",
  "csv",
  "docx",
] as const;
export type DocumentFormat = (typeof documentFormats)[number];

const contentTypes: Readonly<Record<DocumentFormat, string>> = {
  text: "text/plain; charset=utf-8",
  markdown: "text/markdown; charset=utf-8",
  html: "text/html; charset=utf-8",
  srt: "application/x-subrip; charset=utf-8",
  vtt: "text/vtt; charset=utf-8",
  po: "text/x-gettext-translation; charset=utf-8",
  xliff: "application/xliff+xml; charset=utf-8",
  json: "application/json; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
};

/** Returns the content type of a document. */
export const contentTypeOf = (format: DocumentFormat): string => contentTypes[format];

/** By the ending of a file's name; the first ending of a format is the usual one. */
const endings: Readonly<Record<DocumentFormat, readonly [string, ...string[]]>> = {
  text: ["txt", "text"],
  markdown: ["md", "markdown"],
  html: ["html", "htm", "xhtml"],
  srt: ["srt"],
  vtt: ["vtt"],
  po: ["po", "pot"],
  xliff: ["xliff", "xlf"],
  json: ["json"],
  csv: ["csv", "tsv"],
  docx: ["docx"],
};

/** The endings of all formats, without dots. */
export const documentEndings: readonly string[] = documentFormats.flatMap((format) => endings[format]);

const ending = (fileName: string): string => /\.([a-z\d]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? "";

/** What a document of a format begins with, for names that do not say it. */
const beginnings: readonly (readonly [DocumentFormat, RegExp])[] = [
  ["docx", /^PK[^\w\s]{2}/],
  ["vtt", /^\uFEFF?WEBVTT/],
  ["xliff", /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?<xliff\b/],
  ["html", /^\uFEFF?\s*<(?:!doctype\s+html|html)\b/i],
  ["srt", /^\uFEFF?\s*\d+\s*\r?\n\d\d:\d\d:\d\d,\d{3} -->/],
  ["po", /^\uFEFF?(?:#[^\n]*\n|[ \t\r]*\n)*msgid\s+"/],
  ["json", /^\uFEFF?\s*[[{]\s*["\]}]/],
];

/** How much of a document shows its format, in UTF-16 units. */
const shownLength = 4_096;

/**
 * Returns the format of a document by its content where that is certain, else by its name; a text in no known format is plain
 * text.
 */
export const detectFormat = (content: string, fileName: string): DocumentFormat => {
  const named = documentFormats.find((format) => endings[format].includes(ending(fileName)));
  const beginning = content.slice(0, shownLength);
  const certain = beginnings.find(([, pattern]) => pattern.test(beginning))?.[0];
  const isBinary = certain === "docx";
  return (isBinary ? certain : (named ?? certain)) ?? "text";
};

/** Returns the name of a translated document, such as `leaflet.lug.docx`. @param language its code. */
export const translatedName = (fileName: string, language: string, format: DocumentFormat): string => {
  const found = ending(fileName);
  const isNamed = endings[format].includes(found);
  const base = isNamed ? fileName.slice(0, -found.length - 1) : fileName;
  return `${base}.${language}.${isNamed ? found : endings[format][0]}`;
};
