import { describe, expect, it } from "vitest";
import type { DocumentFormat } from "../../../shared/documents/document-formats.ts";
import { type DocumentOptions, openDocument } from "../../../shared/documents/document-tools.ts";

const languages = { source: ["en", "eng"], target: "lg" } as const;

const translated = async (
  source: string,
  format: DocumentFormat,
  options: DocumentOptions = { languages },
): Promise<string> => {
  const document = openDocument(Buffer.from(source), format, options);
  const results = [];
  for (const index of document.passages.keys()) {
    results.push(await document.translatePassage(index, async (text) => text.toUpperCase()));
  }
  return Buffer.from(document.write(results).bytes).toString("utf8");
};

const unit = "<trans-unit id='1'><source>One</source></trans-unit>";
const xliff = (attributes: string, units = unit): string =>
  `<xliff version="1.2"><file source-language="en"${attributes}><body>${units}</body></file></xliff>`;
const xliff2 = (attributes: string): string =>
  `<xliff version="2.0" srcLang="en"${attributes}><file id="f"><unit id="1"><segment><source>One</source></segment></unit></file></xliff>`;
const po = (language: string): string =>
  `msgid ""\nmsgstr ""\n"Language:${language}\\n"\n\nmsgid "One"\nmsgstr ""\n`;
const vtt = (language: string): string => `WEBVTT\nLanguage: ${language}\n\n00:01.000 --> 00:02.000\nOne\n`;

describe("The language that a document names", () => {
  it.each<[DocumentFormat, string, string]>([
    ["html", '<html lang="en-GB" xml:lang=en><p>One</p></html>', '<html lang="lg" xml:lang=lg>'],
    ["html", '<html lang="en"><p>One <i lang="en">word</i></p></html>', '<p>ONE <i lang="lg">WORD</i></p>'],
    ["html", '<html lang="en"><p lang="fr">Un</p><p>One</p></html>', '<html lang="lg"><p lang="fr">'],
    ["xliff", xliff(""), 'target-language="lg"'],
    ["xliff", xliff(' target-language="en"'), ' target-language="lg"'],
    ["xliff", xliff2(""), 'trgLang="lg"'],
    ["po", po(" en_US"), '"Language: lg\\n"'],
    ["po", po(" "), '"Language: lg\\n"'],
    ["po", po(""), '"Language: lg\\n"'],
    ["po", po(" sw"), '"Language: sw\\n"'],
    ["vtt", vtt("en"), "Language: lg\n"],
    ["vtt", vtt("fr"), "Language: fr\n"],
    ["vtt", vtt("en").replaceAll("\n", "\r\n"), "Language: lg\r\n"],
  ])("of %s is the target's where it named the source's: %s", async (format, source, expected) => {
    expect(await translated(source, format)).toContain(expected);
  });

  it("stays where other translations are in it", async () => {
    const other = "<trans-unit id='2'><source>Two</source><target>Deux</target></trans-unit>";
    expect(await translated(xliff(' target-language="fr"', unit + other), "xliff")).toContain(
      'target-language="fr"',
    );
  });

  it("stays when nothing is translated, and when the target is not known", async () => {
    const source = '<html lang="en"><p>One</p></html>';
    expect(await translated(source, "html", {})).toContain('lang="en"');
    const document = openDocument(Buffer.from(source), "html", { languages });
    expect(Buffer.from(document.write([]).bytes).toString("utf8")).toBe(source);
  });

  it("is the first that it names when the source is not known", async () => {
    const source = '<html lang="en"><p>One</p><p lang="fr">Un</p></html>';
    expect(await translated(source, "html", { languages: { target: "lg" } })).toBe(
      '<html lang="lg"><p>ONE</p><p lang="fr">UN</p></html>',
    );
  });
});

describe("A byte order mark", () => {
  it.each<[DocumentFormat, string]>([
    ["text", "One [word](x)\n"],
    ["markdown", "# One [word](x)\n"],
    ["html", "<p>One</p>"],
    ["srt", "1\n00:00:01,000 --> 00:00:02,000\nOne\n"],
    ["vtt", vtt("en")],
    ["po", po(" en")],
    ["xliff", xliff("")],
    ["json", '{"a":"One"}'],
    ["csv", "title\nOne word\n"],
  ])("stays before a document in %s, and moves nothing", async (format, source) => {
    expect(await translated(`\uFEFF${source}`, format)).toBe(`\uFEFF${await translated(source, format)}`);
  });
});
