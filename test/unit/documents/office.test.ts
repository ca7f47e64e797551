import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { DocumentFormat } from "../../../shared/documents/document-formats.ts";
import { openDocument } from "../../../shared/documents/document-tools.ts";
import { readXmlTokens } from "../../../shared/documents/segments/xml-tokens.ts";
import { swapCase } from "../../support/swap-case.ts";

const zip = (files: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

const translated = async (bytes: Uint8Array, format: DocumentFormat, model = swapCase) => {
  const document = openDocument(bytes, format, { languages: { source: ["en"], target: "lg" } });
  const seen: string[] = [];
  const results = [];
  for (const index of document.passages.keys()) {
    results.push(
      await document.translatePassage(index, async (text) => {
        seen.push(text);
        return model(text);
      }),
    );
  }
  const { bytes: written, untranslated } = document.write(results);
  return { seen, untranslated, written };
};

const textIn = (bytes: Uint8Array, name: string): string =>
  strFromU8(unzipSync(bytes)[name] ?? new Uint8Array());

const relationship = (type: string, target: string): string =>
  `<Relationship Id="r" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/${type}" Target="${target}"/>`;
const paragraph = (words: string): string => `<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`;
const word = (body: string): string => `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`;
const slide = (words: string): string =>
  `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>${words}</a:t></a:r></a:p></p:sld>`;
const chart =
  '<c:chart xmlns:c="c" xmlns:a="a"><a:p><a:r><a:t>Births</a:t></a:r></a:p><c:cat><c:strCache><c:pt idx="0"><c:v>First quarter</c:v></c:pt></c:strCache></c:cat><c:val><c:numCache><c:formatCode>General</c:formatCode><c:pt idx="0"><c:v>4</c:v></c:pt></c:numCache></c:val></c:chart>';

interface Case {
  readonly what: string;
  readonly format: DocumentFormat;
  readonly files: Readonly<Record<string, string>>;
  readonly seen: readonly string[];
}

const cases: readonly Case[] = [
  {
    what: "parts that only relationships name",
    format: "docx",
    files: {
      "_rels/.rels": `<Relationships>${relationship("officeDocument", "/word/a.xml")}</Relationships>`,
      "word/a.xml": word(paragraph("The body")),
      "word/_rels/a.xml.rels": `<Relationships>${relationship("header", "parts/b.xml")}${relationship("endnotes", "../c.xml")}${relationship("image", "d.xml")}</Relationships>`,
      "word/parts/b.xml": word(paragraph("The header")),
      "c.xml": word(paragraph("A note")),
      "word/d.xml": word(paragraph("No part")),
    },
    seen: ["The body", "The header", "A note"],
  },
  {
    what: "the title and the names of a chart, and not its numbers",
    format: "docx",
    files: {
      "word/document.xml": word(paragraph("Text")),
      "word/_rels/document.xml.rels": `<Relationships>${relationship("chart", "charts/chart1.xml")}</Relationships>`,
      "word/charts/chart1.xml": chart,
    },
    seen: ["Text", "First quarter", "Births"].toSorted(),
  },
  {
    what: "descriptions of shapes of all kinds",
    format: "docx",
    files: {
      "word/document.xml": word(
        `<w:p><w:r><w:pict><v:shape xmlns:v="v" alt="A hill"/></w:pict><wps:cNvPr xmlns:wps="s" id="1" name="n" descr="A house"/></w:r></w:p>`,
      ),
    },
    seen: ["A hill", "A house"],
  },
  {
    what: "words whose formatting was tracked, and soft hyphens, as whole words",
    format: "docx",
    files: {
      "word/document.xml": word(
        '<w:p><w:r><w:t>inter</w:t></w:r><w:r><w:rPr><w:rPrChange w:id="1"><w:rPr><w:b/></w:rPr></w:rPrChange></w:rPr><w:t>na\u00ADtional</w:t><w:softHyphen/><w:t>ly</w:t></w:r></w:p>',
      ),
    },
    seen: ["internationally"],
  },
  {
    what: "comments",
    format: "pptx",
    files: {
      "ppt/presentation.xml": "<a/>",
      "ppt/slides/slide1.xml": slide("The clinic"),
      "ppt/slides/_rels/slide1.xml.rels": `<Relationships>${relationship("comments", "../comments/comment1.xml")}</Relationships>`,
      "ppt/comments/comment1.xml": '<p:cmLst xmlns:p="p"><p:cm><p:text>Too long</p:text></p:cm></p:cmLst>',
    },
    seen: ["The clinic", "Too long"],
  },
  {
    what: "comments in threads",
    format: "xlsx",
    files: {
      "xl/workbook.xml": "<a/>",
      "xl/sharedStrings.xml": "<sst><si><t>The price</t></si></sst>",
      "xl/worksheets/_rels/sheet1.xml.rels": `<Relationships>${relationship("threadedComment", "../threadedComments/a.xml")}</Relationships>`,
      "xl/threadedComments/a.xml":
        "<ThreadedComments><threadedComment><text>Too high</text></threadedComment></ThreadedComments>",
    },
    seen: ["The price", "Too high"],
  },
  {
    what: "words with a bookmark in them as whole words",
    format: "odt",
    files: {
      "content.xml":
        '<office:text xmlns:office="o" xmlns:text="t"><text:p>inter<text:bookmark-start text:name="a"/>national <text:bookmark-end text:name="a"/>law</text:p></office:text>',
    },
    seen: ["international <1/>law"],
  },
];

describe.each(cases)("$format: $what", ({ format, files, seen }) => {
  it("are what a model sees, and nothing else changes", async () => {
    const result = await translated(zip(files), format);
    expect(format === "docx" ? result.seen.toSorted() : result.seen).toEqual(
      format === "docx" ? seen.toSorted() : seen,
    );
    expect(result.untranslated).toEqual([]);
    const kinds = (text: string): string[] =>
      readXmlTokens(text).flatMap(({ kind, name }) =>
        /^w:[rt]$/.test(name) || kind === "text" ? [] : [name],
      );
    for (const [name, text] of Object.entries(files)) {
      expect(kinds(textIn(result.written, name)).toSorted()).toEqual(
        kinds(
          text.replace("<w:softHyphen/>", "").replace(/<w:rPr><w:rPrChange.*?<\/w:rPrChange><\/w:rPr>/, ""),
        ).toSorted(),
      );
    }
  });
});

const names = "xmlns:a='a' xmlns:p='p' xmlns:w='w' xmlns:wp='x' xmlns:svg='s'";

/** Each format in XML, with words in a text, and in attributes where it has some. */
const everyXml: readonly (readonly [DocumentFormat, string, string, Readonly<Record<string, string>>])[] = [
  [
    "docx",
    "word/document.xml",
    `<w:p ${names}><wp:docPr descr='A hill'/><w:r><w:t>One > two</w:t></w:r></w:p>`,
    {},
  ],
  [
    "pptx",
    "ppt/slides/slide1.xml",
    `<p:sld ${names}><p:cNvPr descr="A hill"/><a:p><a:r><a:t>One > two</a:t></a:r></a:p></p:sld>`,
    { "ppt/presentation.xml": "<a/>" },
  ],
  ["xlsx", "xl/sharedStrings.xml", "<sst><si><t>One > two</t></si></sst>", { "xl/workbook.xml": "<a/>" }],
  [
    "odt",
    "content.xml",
    "<office:text xmlns:office='o' xmlns:text='t'><text:p>One > two</text:p></office:text>",
    {},
  ],
  [
    "xliff",
    "",
    '<xliff version="1.2"><file><body><trans-unit id="1"><source>One > two</source></trans-unit></body></file></xliff>',
    {},
  ],
  ["android", "", '<resources><string name="a">One > two</string></resources>', {}],
];

describe.each(everyXml)("A document in %s", (format, name, source, others) => {
  const bytes = name === "" ? Buffer.from(source) : zip({ [name]: source, ...others });

  it.each([
    ["control characters, and halves of characters", "Bbiri\f\u0000\u001B\uFFFE\uD800", "Bbiri"],
    ["quotation marks and what ends a section", `"'<&>]]> Bbiri`, "Bbiri"],
  ])("is well-formed when a model writes %s", async (_what, reply, words) => {
    const { written } = await translated(bytes, format, () => reply);
    const text = name === "" ? Buffer.from(written).toString("utf8") : textIn(written, name);
    expect(() => readXmlTokens(text)).not.toThrow();
    expect(text).toContain(words);
    expect(text).not.toMatch(/(?![\t\n\r])[\p{Cc}\uFFFD\uFFFE]/u);
    // A parser that reads only what the specification allows refuses this in a text.
    expect(text.replaceAll(/="[^"]*"/g, "")).not.toContain("]]>");
  });
});

describe("A document of Office whose list of parts is no XML", () => {
  it.each(["<Override ".repeat(1_000), `<Override ${"a".repeat(10_000)}>`])(
    "is refused, with what is wrong: %#",
    (list) => {
      const bytes = zip({
        "[Content_Types].xml": list,
        "word/document.xml": word(paragraph("Good morning")),
      });
      expect(() => openDocument(bytes, "docx")).toThrow("The XML is invalid: line 1");
    },
  );
});
