import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { type DocumentFormat, detectFormat } from "../../../shared/documents/document-formats.ts";
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
    what: "names of a chart that are on several levels",
    format: "docx",
    files: {
      "word/document.xml": word(paragraph("Text")),
      "word/_rels/document.xml.rels": `<Relationships>${relationship("chart", "charts/chart1.xml")}</Relationships>`,
      "word/charts/chart1.xml":
        '<c:chart xmlns:c="c"><c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl><c:pt idx="0"><c:v>First quarter</c:v></c:pt></c:lvl><c:lvl><c:pt idx="0"><c:v>Last year</c:v></c:pt></c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat></c:chart>',
    },
    seen: ["First quarter", "Last year", "Text"],
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
    what: "words that a layout puts on each slide, and none that ask for others",
    format: "pptx",
    files: {
      "ppt/presentation.xml": "<a/>",
      "ppt/slides/slide1.xml": slide("The clinic"),
      "ppt/slides/_rels/slide1.xml.rels": `<Relationships>${relationship("slideLayout", "../slideLayouts/a.xml")}</Relationships>`,
      "ppt/slideLayouts/a.xml":
        '<p:sldLayout xmlns:p="p" xmlns:a="a"><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:r><a:t>Click to edit</a:t></a:r></a:p></p:sp><p:sp><p:nvPr/><a:p><a:r><a:t>For health</a:t></a:r></a:p></p:sp></p:sldLayout>',
    },
    seen: ["The clinic", "For health"],
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
    what: "headers, messages and tips of cells, and no codes",
    format: "xlsx",
    files: {
      "xl/workbook.xml": "<a/>",
      "xl/worksheets/sheet1.xml":
        '<worksheet><dataValidations><dataValidation promptTitle="The age" prompt="In full years"/></dataValidations><hyperlink tooltip="To the form"/><headerFooter><oddHeader>&amp;LSoap &amp;&amp; water&amp;C&amp;&quot;Arial,Bold&quot;&amp;12Page &amp;P of &amp;N&amp;R&amp;D</oddHeader></headerFooter></worksheet>',
    },
    seen: ["The age", "In full years", "To the form", "Soap & water", "Page <1/> of <2/>"],
  },
  {
    what: "charts in it, and titles of indexes",
    format: "odt",
    files: {
      "content.xml":
        '<office:text xmlns:office="o" xmlns:text="t"><text:index-title-template>Contents</text:index-title-template></office:text>',
      "Object 1/content.xml":
        '<office:chart xmlns:office="o" xmlns:text="t"><text:p>Births</text:p></office:chart>',
    },
    seen: ["Contents", "Births"],
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
  {
    what: "words of elements with other prefixes than the usual ones",
    format: "docx",
    files: {
      "word/document.xml":
        '<n0:document xmlns:n0="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><n0:body><n0:p n0:rsidR="1"><n0:r><n0:t>Hello </n0:t></n0:r><n0:r><n0:rPr><n0:b/></n0:rPr><n0:t>you</n0:t></n0:r></n0:p></n0:body></n0:document>',
    },
    seen: ["Hello <1>you</1>"],
  },
  {
    what: "words of elements with other prefixes than the usual ones",
    format: "odt",
    files: {
      "content.xml":
        '<o:text xmlns:o="o" xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><t:p>Hello <t:span t:style-name="T1">you</t:span></t:p></o:text>',
    },
    seen: ["Hello <1>you</1>"],
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
        /^\w+:[rt]$/.test(name) || kind === "text" ? [] : [name.replace(/^.*:/, "")],
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

const message = "You have {n, plural, one {# cow} few {# cows} other {# cows}}";

describe.each<[DocumentFormat, string, Readonly<Record<string, string>>]>([
  ["docx", "word/document.xml", { "word/document.xml": word(paragraph(message)) }],
  [
    "pptx",
    "ppt/slides/slide1.xml",
    { "ppt/presentation.xml": "<a/>", "ppt/slides/slide1.xml": slide(message) },
  ],
  [
    "xlsx",
    "xl/sharedStrings.xml",
    { "xl/workbook.xml": "<a/>", "xl/sharedStrings.xml": `<sst><si><t>${message}</t></si></sst>` },
  ],
  ["odt", "content.xml", { "content.xml": `<text:p xmlns:text="t">${message}</text:p>` }],
])("A message with branches in %s", (format, name, files) => {
  it("has the categories of the target only", async () => {
    const { written } = await translated(zip(files), format);
    expect(textIn(written, name)).toContain("yOU HAVE {n, plural, one {# COW} other {# COWS}}<");
  });
});

const listed = (words: string): string =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/></w:numPr></w:pPr><w:r><w:t>${words}</w:t></w:r></w:p>`;

describe.each<[DocumentFormat, Readonly<Record<string, string>>]>([
  ["docx", { "word/document.xml": word(paragraph("Bring:") + listed("soap") + listed("and water")) }],
  [
    "odt",
    {
      "content.xml":
        '<office:text xmlns:office="o" xmlns:text="t"><text:p>Bring:</text:p><text:list><text:list-item><text:p>soap</text:p></text:list-item><text:list-item><text:p>and water</text:p></text:list-item></text:list></office:text>',
    },
  ],
])("An item of a list in %s", (format, files) => {
  it("is translated with those before and after as context", async () => {
    const document = openDocument(zip(files), format);
    const contexts: (string | undefined)[] = [];
    for (const index of document.passages.keys()) {
      await document.translatePassage(index, async (text, { context }) => {
        contexts.push(context);
        return text;
      });
    }
    expect(contexts).toEqual([undefined, "Bring:\nand water", "soap"]);
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

describe("An OpenDocument text", () => {
  const content = '<office:text xmlns:office="o" xmlns:text="t"><text:p>Hello there</text:p></office:text>';
  const mimetype = "application/vnd.oasis.opendocument.text";

  it("is one by its name where its type is not its first file, and stays so", async () => {
    const bytes = zip({ "content.xml": content, mimetype });
    expect(detectFormat(bytes, "letter.odt")).toBe("odt");
    expect(detectFormat(zip({ "content.xml": content }), "letter.zip")).toEqual({ seems: "a ZIP file" });
    expect(detectFormat(zip({ "word/document.xml": content }), "letter.odt")).toBe("docx");
    const { seen, written } = await translated(bytes, "odt");
    expect(seen).toEqual(["Hello there"]);
    expect(Object.keys(unzipSync(written))).toEqual(["content.xml", "mimetype"]);
    expect(textIn(written, "mimetype")).toBe(mimetype);
  });

  it("is refused when a password protects it", () => {
    const manifest =
      '<manifest:manifest xmlns:manifest="m"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    const bytes = zip({ mimetype, "content.xml": content, "META-INF/manifest.xml": manifest });
    expect(() => openDocument(bytes, "odt")).toThrow("it is damaged or protected by a password");
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
