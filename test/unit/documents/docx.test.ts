import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { openDocument } from "../../../shared/documents/document-tools.ts";
import { openOffice } from "../../../shared/documents/formats/office.ts";
import { passagesOf, type TranslatePassage } from "../../../shared/documents/segments/translate-segments.ts";
import { readXmlTokens } from "../../../shared/documents/segments/xml-tokens.ts";

const main = "word/document.xml";

const docx = (body: string, more: Readonly<Record<string, Uint8Array>> = {}): Uint8Array =>
  zipSync({
    "[Content_Types].xml": strToU8("<Types/>"),
    [main]: strToU8(`<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`),
    ...more,
  });

const run = (text: string, properties = ""): string =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;

const passages = (bytes: Uint8Array): string[] =>
  openOffice(bytes, "docx").parts.flatMap(({ document }) => passagesOf(document).map(({ text }) => text));

const translate = async (bytes: Uint8Array, model: TranslatePassage) => {
  const document = openDocument(bytes, "docx");
  const results = [];
  for (const index of document.passages.keys()) results.push(await document.translatePassage(index, model));
  return document.write(results);
};

const textIn = (bytes: Uint8Array, name = main): string =>
  strFromU8(unzipSync(bytes)[name] ?? new Uint8Array());
const upperCase: TranslatePassage = async (text) => text.toUpperCase();

describe("A DOCX file", () => {
  it("has a passage for each paragraph, with pairs of tags where the formatting changes", () => {
    const bytes = docx(
      `<w:p>${run("Wash ")}${run("your", "<w:b/>")}${run(" hands.")}</w:p><w:p>${run("Now.")}</w:p>`,
    );
    expect(passages(bytes)).toEqual(["Wash <1>your</1> hands.", "Now."]);
  });

  it("joins words that Word has split by edits and checks", async () => {
    const body = `<w:p>${run("Vac", '<w:lang w:val="en"/>')}<w:proofErr w:type="spellStart"/>${run("cine")}</w:p>`;
    expect(passages(docx(body))).toEqual(["Vaccine"]);
    const { bytes } = await translate(docx(body), upperCase);
    expect(textIn(bytes)).toContain(">VACCINE</w:t>");
  });

  it("has equal paragraphs translated at once, also when Word has cut them into other runs", async () => {
    const bold = "<w:b/>";
    const paragraphs = [
      [run("No", bold), run("te", bold), run(" bring "), run("your", bold), run(" card.")],
      [run("Note", bold), run(" bring "), run("your", bold), run(" ca"), run("rd.")],
    ];
    const { bytes, characters } = await translate(
      docx(paragraphs.map((runs) => `<w:p>${runs.join("")}</w:p>`).join("")),
      upperCase,
    );
    const written = textIn(bytes);
    expect(() => readXmlTokens(written)).not.toThrow();
    expect(written.replaceAll(/<[^>]*>/g, "")).toBe("NOTE BRING YOUR CARD.".repeat(2));
    expect(written.match(/<w:b\/><\/w:rPr><w:t xml:space="preserve">(?:NOTE|YOUR)<\/w:t>/g)).toHaveLength(4);
    expect(characters).toBe(21);
  });

  it("has no characters that XML cannot contain, also when the model writes them", async () => {
    const { bytes } = await translate(
      docx(`<w:p>${run("a half")}</w:p>`),
      async () => "\f\\frac & \u0000\uFFFF1",
    );
    expect(textIn(bytes)).toContain(">\\frac &amp; 1</w:t>");
  });

  it("keeps tabs, breaks, fields and deleted text", async () => {
    const body = `<w:p>${run("One")}<w:r><w:tab/></w:r>${run("two")}<w:r><w:delText>no</w:delText></w:r></w:p>`;
    const { bytes } = await translate(docx(body), upperCase);
    const text = textIn(bytes);
    expect(text).toContain("<w:tab/>");
    expect(text).toContain("<w:delText>no</w:delText>");
    expect(text.replaceAll(/<[^>]*>/g, "")).toBe("ONETWOno");
  });

  it("has text boxes inside of a paragraph translated once", async () => {
    const box = `<w:r><w:txbxContent><w:p>${run("inner")}</w:p></w:txbxContent></w:r>`;
    const { bytes } = await translate(docx(`<w:p>${run("before")}${box}${run("after")}</w:p>`), upperCase);
    expect(textIn(bytes).replaceAll(/<[^>]*>/g, "")).toBe("BEFOREINNERAFTER");
  });

  it("has its headers, footers and notes translated, and all other files as they were", async () => {
    const image = new Uint8Array([137, 80, 78, 71]);
    const header = strToU8(`<w:hdr xmlns:w="w"><w:p>${run("page")}</w:p></w:hdr>`);
    const source = docx(`<w:p>${run("body")}</w:p>`, {
      "word/header1.xml": header,
      "word/media/a.png": image,
    });
    const { bytes } = await translate(source, upperCase);
    expect(textIn(bytes, "word/header1.xml")).toContain(">PAGE</w:t>");
    expect(unzipSync(bytes)["word/media/a.png"]).toEqual(image);
    expect(Object.keys(unzipSync(bytes))).toEqual(Object.keys(unzipSync(source)));
  });

  it("keeps spaces that a translation begins with", async () => {
    const plain = "<w:p><w:r><w:t>a</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>b</w:t></w:r></w:p>";
    const { bytes } = await translate(docx(plain), async (text) => text.replace("b", " c"));
    expect(textIn(bytes)).toContain('<w:t xml:space="preserve"> c</w:t>');
  });

  it("stays as it is when the model loses or reorders the masks", async () => {
    const source = docx(`<w:p>${run("a ")}${run("b", "<w:b/>")}${run(" c")}</w:p>`);
    for (const model of ["a b c", "a </1>b<1> c"]) {
      const { bytes, untranslated } = await translate(source, async () => model);
      expect(textIn(bytes)).toBe(textIn(source));
      expect(untranslated).toEqual([{ index: 0, reason: "markup_lost" }]);
    }
  });
});

describe("A file that is no DOCX", () => {
  const whole = docx(`<w:p>${run("words")}</w:p>`);

  it.each([
    ["no ZIP", strToU8("words"), "not a DOCX file"],
    ["a ZIP without the text", zipSync({ "a.txt": strToU8("a") }), "not a DOCX file"],
    ["cut off", whole.subarray(0, whole.length / 2), "not a DOCX file"],
    ["no XML", zipSync({ [main]: strToU8("<w:document>") }), "The XML is invalid"],
    [
      "a document type",
      zipSync({ [main]: strToU8("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>") }),
      "document type",
    ],
    ["a bomb", zipSync({ [main]: [new Uint8Array(70_000_000), { level: 1 }] }), "more than 60 MB"],
    [
      "very much text",
      zipSync({ [main]: [new Uint8Array(25_000_000).fill(32), { level: 1 }] }),
      "more than 20 MB",
    ],
  ])("is refused: %s", (_what, bytes, message) => {
    expect(() => openDocument(bytes, "docx")).toThrow(message);
  });
});
