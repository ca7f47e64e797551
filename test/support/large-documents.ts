import { strToU8, zipSync } from "fflate";
import type { DocumentFormat } from "../../shared/documents/document-formats.ts";

/** What a reader would make many small things of. */
export const fillings = [". ", "1 ", "a. ", "Good morning. ", " "] as const;

/** All of a document as one passage, or passages that are just short enough. */
export const forms = ["one passage", "passages"] as const;

/** How a format writes passages, and what is around them. */
interface Frame {
  readonly before?: string;
  readonly passage: (text: string) => string;
  readonly between?: string;
  readonly after?: string;
}

const cue = "00:00:01,000 --> 00:00:02,000\n";

const frames: Readonly<Record<DocumentFormat, Frame>> = {
  text: { passage: (text) => `${text}\n` },
  markdown: { passage: (text) => `${text}\n\n` },
  html: { passage: (text) => `<p>${text}</p>` },
  srt: { passage: (text) => `${cue}${text}\n\n` },
  vtt: { before: "WEBVTT\n\n", passage: (text) => `${cue.replaceAll(",", ".")}${text}\n\n` },
  po: { passage: (text) => `msgid "${text}"\nmsgstr ""\n\n` },
  xliff: {
    before: '<xliff version="1.2"><file><body>',
    passage: (text) => `<trans-unit id="1"><source>${text}</source></trans-unit>`,
    after: "</body></file></xliff>",
  },
  json: { before: "[", passage: (text) => JSON.stringify(text), between: ",", after: "]" },
  csv: { before: "text\n", passage: (text) => `"${text}"\n` },
  ass: { before: "[Events]\n", passage: (text) => `Dialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,${text}\n` },
  arb: { before: "{", passage: (text) => `"a":${JSON.stringify(text)}`, between: ",", after: "}" },
  yaml: { passage: (text) => `- ${JSON.stringify(text)}\n` },
  properties: { passage: (text) => `a = ${text}\n` },
  strings: { passage: (text) => `"a" = "${text}";\n` },
  android: {
    before: "<resources>",
    passage: (text) => `<string name="a">${text}</string>`,
    after: "</resources>",
  },
  pptx: {
    before: '<p:sld xmlns:p="p" xmlns:a="a">',
    passage: (text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`,
    after: "</p:sld>",
  },
  xlsx: {
    before: '<sst xmlns="s">',
    passage: (text) => `<si><t>${text}</t></si>`,
    after: "</sst>",
  },
  odt: {
    before: '<office:document-content xmlns:office="o" xmlns:text="t">',
    passage: (text) => `<text:p>${text}</text:p>`,
    after: "</office:document-content>",
  },
  docx: {
    before: '<w:document xmlns:w="w"><w:body>',
    passage: (text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`,
    after: "</w:body></w:document>",
  },
};

/** The file in a ZIP file that has the text; with its own, a format has others. */
const zipped: Partial<Record<DocumentFormat, readonly [string, ...string[]]>> = {
  docx: ["word/document.xml"],
  pptx: ["ppt/slides/slide1.xml", "ppt/presentation.xml"],
  xlsx: ["xl/sharedStrings.xml", "xl/workbook.xml"],
  odt: ["content.xml"],
};

/** The text of the largest documents, unpacked. */
const maxBytes = (format: DocumentFormat): number => (zipped[format] ? 20 : 10) * 1_024 * 1_024;
const maxText = 10 * 1_024 * 1_024;
const maxPassage = 199_999;

/** Returns a document with some passages. */
export const documentOf = (format: DocumentFormat, passages: readonly string[]): Uint8Array => {
  const { before = "", passage, between = "", after = "" } = frames[format];
  const source = strToU8(before + passages.map(passage).join(between) + after);
  const [file, ...others] = zipped[format] ?? [];
  if (file === undefined) return source;
  return zipSync({ [file]: source, ...Object.fromEntries(others.map((name) => [name, strToU8("<a/>")])) });
};

/** A passage with a word, so that it is translated. */
const passageOf = (filling: string, length: number): string =>
  `Webale. ${filling.repeat(Math.ceil(length / filling.length))}`.slice(0, length);

/** Returns the largest document of a format. */
export const largeDocument = (
  format: DocumentFormat,
  filling: string,
  form: (typeof forms)[number],
): Uint8Array => {
  if (form === "one passage") return documentOf(format, [passageOf(filling, maxBytes(format) - 1_000)]);
  const text = passageOf(filling, maxPassage);
  return documentOf(
    format,
    Array.from({ length: Math.floor(maxText / (maxPassage + 100)) }, () => text),
  );
};
