import { describe, expect, it } from "vitest";
import { type DocumentFormat, documentFormats } from "../../../shared/documents/document-formats.ts";
import { openDocument } from "../../../shared/documents/document-tools.ts";
import { isUnreadableDocument } from "../../../shared/documents/segments/unreadable-document.ts";

/** Ten megabytes of the smallest parts that a format has. */
const zipped = ["docx", "pptx", "xlsx", "odt"] as const;
type Zipped = (typeof zipped)[number];
const isZipped = (format: DocumentFormat): format is Zipped => zipped.some((name) => name === format);
const textFormats = documentFormats.flatMap((format) => (isZipped(format) ? [] : [format]));

const crowded: Readonly<Record<Exclude<DocumentFormat, Zipped>, string>> = {
  text: "a\n",
  markdown: "*a*\n\n",
  html: "<p>a",
  srt: "00:00:01,000 --> 00:00:02,000\na\n\n",
  vtt: "00:00:01.000 --> 00:00:02.000\na\n\n",
  po: 'msgid "a"\nmsgstr ""\n',
  xliff: "<note/>",
  json: '"a",',
  csv: "a,",
  arb: '"a":"a",',
  yaml: "a: b\n",
  properties: "a=b\n",
  strings: '"a"="b";\n',
  android: "<string>a",
  ass: "Dialogue: 0,0,0,,,0,0,0,,a\n",
};
const heads: Partial<Record<DocumentFormat, string>> = { vtt: "WEBVTT\n\n", json: "[", arb: "{" };
const tenMegabytes = 10 * 1_024 * 1_024;

const refusalOf = (bytes: Uint8Array, format: DocumentFormat): unknown => {
  try {
    openDocument(bytes, format);
    return undefined;
  } catch (error) {
    return error;
  }
};

describe("A document of ten megabytes", () => {
  it.each(textFormats)("in %s with the smallest parts is refused before it is parsed", (format) => {
    const part = crowded[format];
    const source = (heads[format] ?? "") + part.repeat(tenMegabytes / part.length);
    const before = process.memoryUsage().rss;
    const error = refusalOf(Buffer.from(source), format);
    expect(isUnreadableDocument(error) && error.isTooLarge).toBe(true);
    expect(isUnreadableDocument(error) && error.message).toMatch(
      /^The document has more than [\d,]+ (?:lines|marks|tags|subtitles|entries|texts|cells)\. Divide it\.$/,
    );
    // The source itself, twice, and nothing for each of its parts.
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1_024 * 1_024);
  });

  it.each([
    ["srt", "\n", "The document has more than 500,000 lines. Divide it."],
    ["vtt", "\n", "The document has more than 500,000 lines. Divide it."],
    ["po", "\n", "The document has more than 500,000 lines. Divide it."],
    ["html", `<p${' a=""'.repeat(1_001)}`, "A tag of the document has more than 1,000 attributes."],
    [
      "xliff",
      `<xliff${Array.from({ length: 1_001 }, (_, index) => ` a${index}=""`).join("")}`,
      "A tag of the document has more than 1,000 attributes.",
    ],
  ] as const)("in %s of other small parts is refused, too", (format, part, message) => {
    const source = (heads[format] ?? "") + part.repeat(part === "\n" ? tenMegabytes : 1);
    const error = refusalOf(Buffer.from(`${source}>a</p>`), format);
    expect(isUnreadableDocument(error) && error.message).toBe(message);
  });

  it("of prose is read", () => {
    const paragraph = `${"The clinic opens at eight on Monday. ".repeat(20)}\n\n`;
    const text = paragraph.repeat(Math.floor(200_000 / paragraph.length));
    for (const format of ["text", "markdown"] as const) {
      expect(openDocument(Buffer.from(text), format).passages).toHaveLength(1);
    }
  });
});
