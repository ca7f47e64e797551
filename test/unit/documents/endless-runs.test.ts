import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { planTranslation } from "../../../functions/job-worker/plan-translation.ts";
import { readSource } from "../../../functions/jobs/read-source.ts";
import type { DocumentFormat } from "../../../shared/documents/document-formats.ts";
import { openJobDocument } from "../../../shared/recordings/jobs/job-document.ts";
import { documentOf, largeDocument } from "../../support/large-documents.ts";

/** Just below the length that a passage may have. A reader whose time grows with the square of it needs minutes. */
const length = 199_000;

/** Markdown with more characters that mark something is refused. */
const maxMarks = 19_000;

const runOf = (text: string): string => text.repeat(Math.floor(length / text.length));

const translate = async (
  bytes: Uint8Array,
  format: DocumentFormat,
  reply = (text: string): string => text.toUpperCase(),
): Promise<string> => {
  const source = { size: bytes.length, read: async () => bytes };
  const document = await openJobDocument(source, { format, target_language: "lug" });
  const results = [];
  for (const { from, to } of planTranslation(document)) {
    for (let index = from; index < to; index += 1) {
      results.push(await document.translatePassage(index, async (text) => reply(text)));
    }
  }
  return Buffer.from(document.write(results).bytes).toString();
};

describe("a document with the longest run of", () => {
  it.each<[string, DocumentFormat, string]>([
    ["blanks", "ass", runOf(" ")],
    ["blanks", "properties", runOf(" ")],
    ["tabs", "properties", runOf("\t")],
    ["blanks", "yaml", runOf(" ")],
    ["carriage returns", "srt", runOf("\r")],
    ["carriage returns", "vtt", runOf("\r")],
    ["beginnings of code", "html", runOf("<%")],
    ["beginnings of comments", "markdown", "<!--".repeat(maxMarks / 1)],
    ["beginnings of instructions", "markdown", "<?".repeat(maxMarks / 1)],
    ["formulas that do not end", "markdown", "\n$$a".repeat(maxMarks / 2)],
    ["blanks before a message", "json", `{a}${runOf(" ")}{n, plural, other {Webale nyo}}`],
    ["blanks in what may be a tag", "text", `<${runOf(" ")}`],
  ])("%s in %s is translated", async (_, format, run) => {
    const written = await translate(documentOf(format, [`Webale nyo.${run}`, "Good morning."]), format);
    expect(written).toContain("GOOD MORNING.");
  });

  it("keys without a value in .properties is read", async () => {
    const bytes = strToU8(`a = Webale nyo.\n${"b\n".repeat(140_000)}`);
    await expect(translate(bytes, "properties")).resolves.toContain("a = WEBALE NYO.");
  });

  it.each([
    [
      "marks of emphasis",
      `Webale nyo. ${"*[".repeat(maxMarks / 2)}`,
      "the paragraph near line 1 has too many marks of emphasis (* and _)",
    ],
    ["lists within lists", `${runOf("1. ")}Webale nyo.`, "line 1 has 100 lists or more within each other"],
  ])("%s in Markdown is refused with the line", async (_, run, message) => {
    await expect(translate(documentOf("markdown", [run]), "markdown")).rejects.toThrow(message);
  });

  it("marks of emphasis that writers use in Markdown is translated", async () => {
    const paragraph = "Webale *nyo* **ssebo**, _nnyabo_. ".repeat(40);
    const written = await translate(
      documentOf(
        "markdown",
        Array.from({ length: 30 }, () => paragraph),
      ),
      "markdown",
    );
    expect(written).toContain("WEBALE *NYO* **SSEBO**");
  });

  it.each(["properties", "strings"] as const)(
    "characters in .%s, as long as the file, is refused",
    async (format) => {
      const bytes = largeDocument(format, ". ", "one passage");
      await expect(translate(bytes, format)).rejects.toThrow("has more than 200,000 characters");
    },
  );

  it("comments before the root element has its format detected", async () => {
    const bytes = strToU8(
      `${"<!---->".repeat(1_000)}<resources><string name="a">Webale nyo</string></resources>`,
    );
    const { format } = await readSource(bytes, "strings", {});
    expect(format).toBe("android");
  });

  it("changes of properties in a run of Word is translated", async () => {
    const run = `<w:r><w:rPr>${runOf("<w:rPrChange/>")}</w:rPr><w:t>Webale nyo.</w:t></w:r>`;
    const document = `<w:document xmlns:w="w"><w:body><w:p>${run}</w:p></w:body></w:document>`;
    const bytes = zipSync({ "word/document.xml": strToU8(document) });
    await expect(translate(bytes, "docx")).resolves.toContain("PK");
  });

  it("blanks in a reply that begins like a tag is refused as no translation", async () => {
    const bytes = documentOf("html", ["Webale <b>nyo</b>."]);
    await expect(translate(bytes, "html", () => `<${runOf(" ")}`)).resolves.toContain("Webale <b>nyo</b>.");
  });
});
