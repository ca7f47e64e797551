import { readFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import {
  detectFormat,
  documentFormats,
  endingsOf,
  translatedName,
} from "../../../shared/documents/document-formats.ts";
import { readHtml } from "../../../shared/documents/formats/html.ts";
import { readMarkdown } from "../../../shared/documents/formats/markdown.ts";
import { readText } from "../../../shared/documents/formats/plain-text.ts";
import { findPlaceholders } from "../../../shared/documents/segments/placeholders.ts";
import type { ParsedDocument } from "../../../shared/documents/segments/segment.ts";
import {
  passagesOf,
  type TranslatePassage,
  translateDocument,
} from "../../../shared/documents/segments/translate-segments.ts";

const upperCase: TranslatePassage = async (text) => text.toUpperCase();
const passages = (source: string, read: (source: string) => ParsedDocument = readHtml): string[] =>
  passagesOf(read(source)).map(({ text }) => text);

describe("A placeholder", () => {
  const found = (text: string): string[] =>
    findPlaceholders(text).map(({ start, end }) => text.slice(start, end));

  it.each([
    ["Hello {name}, {{count}} new", ["{name}", "{{count}}"]],
    ["{n, plural, one {# file} other {# files}} found", ["{n, plural, one {# file} other {# files}}"]],
    ["%s of %1$s, %d and %.2f, %(name)s", ["%s", "%1$s", "%d", "%.2f", "%(name)s"]],
    ["Dear \u0024{user.name}, :count left", ["\u0024{user.name}", ":count"]],
    [
      "See https://example.org/a?b=1. Or mail a.b@example.org!",
      ["https://example.org/a?b=1", "a.b@example.org"],
    ],
    ["<a href='x' b>Hello</a><br/>", ["<a href='x' b>", "</a>", "<br/>"]],
    ["<b>Hello</b> <0>you</0>", ["<b>", "</b>", "<0>", "</0>"]],
    ["Read the %1$sguide%2$s", ["%1$s", "%2$s"]],
    ["%dMB of %'d, no %r, 100%% of %n", ["%d", "%'d", "%r", "%%", "%n"]],
    ["%A, %d de %B %H:%M:%S %z (%-I %p)", ["%A", "%d", "%B", "%H", "%M", "%S", "%z", "%-I", "%p"]],
    ["Start %PRODUCTNAME in %MY_PATH% now", ["%PRODUCTNAME", "%MY_PATH%"]],
    ["%L1 of (%2), %1% and %{count}, %<a>s", ["%L1", "%2", "%1%", "%{count}", "%<a>s"]],
    [
      "See $t(common.key), $USER$, __name__, @:message.hi",
      ["$t(common.key)", "$USER$", "__name__", "@:message.hi"],
    ],
  ])("is found in %j", (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each([
    "At 10:30",
    "50% of them",
    "100%sure",
    "100%SURE",
    "<enter a value>",
    "50 % A",
    "5% a year",
    "20 %discount",
    "It costs $5 or $6",
    "Note: this",
    "a < b",
    "100 %",
    "{ without an end",
  ])("is not found in %j", (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe("A page", () => {
  it("has its passages between block tags, with masks for what must stay", () => {
    expect(passages('<p>Hi <b>you</b>, <code>x</code> {n}.</p><script>"no"</script><li>One<li>Two')).toEqual([
      "Hi <1>you</1>, <2/> <3/>.",
      "One",
      "Two",
    ]);
  });

  it("has the attributes that people read, and no others", () => {
    const source =
      '<img alt="A cat" src="cat"><input type=submit value="Send it"><input value="mine"><p title=\'Two words\'>x</p>';
    expect(passages(source)).toEqual(["A cat", "Send it", "Two words", "x"]);
  });

  it("keeps what is marked, and what no reader sees", () => {
    const source =
      '<p translate="no">a</p><div class="x notranslate"><p>b</p></div><!-- c --><style>d</style><code>e</code>';
    expect(passages(source)).toEqual([]);
  });

  it("keeps tags that do not nest in their order", async () => {
    const source = "<p>a <b>b <i>c</b> d</i> e</p>";
    expect((await translateDocument(readHtml(source), upperCase)).text).toBe(
      "<p>A <b>B <i>C</b> D</i> E</p>",
    );
    const turned: TranslatePassage = async (text) =>
      text.replace("<1/>", "@").replace("<2/>", "<1/>").replace("@", "<2/>");
    const { text, untranslated } = await translateDocument(readHtml(source), turned);
    expect(text).toBe(source);
    expect(untranslated).toEqual([{ index: 0, reason: "markup_lost" }]);
  });

  it("escapes what the model writes", async () => {
    const { text } = await translateDocument(readHtml("<p>word</p>"), async () => "<script> & more");
    expect(text).toBe("<p>&lt;script&gt; &amp; more</p>");
  });

  it("may have words that look like the tags for the model", async () => {
    const source = "<p>press &lt;1&gt; and <b>go</b></p>";
    expect((await translateDocument(readHtml(source), upperCase)).text).toBe(
      "<p>PRESS &lt;1&gt; AND <b>GO</b></p>",
    );
  });

  it("is requested once more with its tags named, before it stays", async () => {
    const requests: (readonly string[] | undefined)[] = [];
    const forgetful: TranslatePassage = async (text, { keep }) => {
      requests.push(keep);
      return keep ? text.toUpperCase() : "lost";
    };
    const { text, untranslated } = await translateDocument(readHtml("<p>a <b>b</b></p>"), forgetful);
    expect(text).toBe("<p>A <b>B</b></p>");
    expect(untranslated).toEqual([]);
    expect(requests).toEqual([undefined, ["<1>", "</1>"]]);
  });

  it("may be nested ten thousand times", async () => {
    const deep = `${"<b>".repeat(10_000)}words${"</b>".repeat(10_000)}`;
    expect((await translateDocument(readHtml(deep), upperCase)).text).toContain(">WORDS<");
    const mixed = `${"<b>x ".repeat(10_000)}${"</b>".repeat(10_000)}`;
    const { text, untranslated } = await translateDocument(readHtml(mixed), upperCase);
    expect(text).toBe(mixed);
    expect(untranslated).toEqual([{ index: 0, reason: "too_long" }]);
  });

  it("has a long paragraph divided between its sentences", async () => {
    const paragraph = "This sentence is one of very many. ".repeat(400).trim();
    const lengths = passages(`<p>${paragraph}</p>`).map((text) => text.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(4_000);
    const { text } = await translateDocument(readHtml(`<p>${paragraph}</p>`), upperCase);
    expect(text).toBe(`<p>${paragraph.toUpperCase()}</p>`);
  });
});

describe("Markdown", () => {
  it("has its passages in blocks, with masks for markup", () => {
    const source =
      "---\ntitle: no\n---\n# A *big* title\n\n> two\n> lines\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| [c](d) | `e` f |\n";
    expect(passages(source, readMarkdown)).toEqual(["A <1>big</1> title", "two lines", "a", "b", "c", "f"]);
  });

  it("keeps the names of links that are also their text", async () => {
    const source = "See [this][a] and [that].\n\n[a]: https://a.org\n[that]: https://b.org\n";
    expect((await translateDocument(readMarkdown(source), upperCase)).text).toBe(
      "SEE [THIS][a] AND [that].\n\n[a]: https://a.org\n[that]: https://b.org\n",
    );
  });

  it("never lets words become markup", async () => {
    const { text, untranslated } = await translateDocument(readMarkdown("A word\n"), async () => "1. word");
    expect(text).toBe("A word\n");
    expect(untranslated).toEqual([{ index: 0, reason: "structure_changed" }]);
  });

  it("is refused when it is nested too deeply", () => {
    expect(() => readMarkdown(`${"> ".repeat(5_000)}deep`)).toThrow("nested too deeply");
  });
});

describe("Plain text", () => {
  it("has a passage for each line, and one for wrapped lines", () => {
    const wrapped = "This line is long enough to have been wrapped by\nan editor, so it goes on here.";
    expect(passages(`A title\n\n${wrapped}\n- one\n- two\n`, readText)).toEqual([
      "A title",
      wrapped.replace("\n", " "),
      "- one",
      "- two",
    ]);
  });

  it("has a line per paragraph when its lines are longer than an editor wraps them", () => {
    const lines = ["Maize", "Beans"].map((crop) => `${crop} ${"grow in the field and ".repeat(20)}rest`);
    expect(passages(lines.join("\n"), readText)).toEqual(lines);
  });
});

describe("The format of a document", () => {
  it.each([
    ["[Script Info]\nTitle: a", "a.txt", "ass"],
    ['<?xml version="1.0"?>\n<!-- a -->\n<resources>', "strings.xml", "android"],
    ['{"@@locale": "en"', "app_en.json", "arb"],
    ["greeting=Hello", "a.properties", "properties"],
    ["en:\n  a: b", "en.yml", "yaml"],
    ['"a" = "b";', "Localizable.strings", "strings"],
    ['{\n  "@@locale": "en"', "app_en.arb", "arb"],
    ["Hello there", "notes.2024", "text"],
    ["words", "a.md", "markdown"],
    ["words", "A.HTM", "html"],
    ["words", "a", "text"],
    ["<!DOCTYPE html>", "download", "html"],
    ['<?xml version="1.0"?><xliff', "download", "xliff"],
    ['# note\n\nmsgid ""', "download", "po"],
    ['{"a"', "download", "json"],
    ["WEBVTT\n", "download.bin", "vtt"],
    ["1\n0:0:1,5-->0:0:2\n", "download", "srt"],
  ])("of %j in %s is %s", (content, name, format) => {
    expect(detectFormat(Buffer.from(content), name)).toBe(format);
    expect(detectFormat(Buffer.from(`\uFEFF${content}`), name)).toBe(format);
  });

  it.each([
    ["{\\rtf1 Hello}", "letter.txt", "an RTF file"],
    ["%PDF-1.7", "a.docx", "a PDF file"],
    ['<?xml version="1.0"?><office:document>', "a.fodt", "a flat OpenDocument file"],
    ["Title\n=====\n", "index.rst", "a .rst file"],
    ["<a/>", "a.xml", "an XML file, and neither XLIFF nor strings of Android"],
    ["a\u0000\u0001\u0002b", "a.txt", "a binary file"],
    ["bplist00\u0000", "a.strings", "a property list of Apple"],
  ])("of %j in %s is not known: it seems to be %s", (content, name, seems) => {
    expect(detectFormat(Buffer.from(content), name)).toEqual({ seems });
  });

  it("of a ZIP file is that of the files in it, and never follows from its name", () => {
    const zip = (...names: string[]): Uint8Array =>
      zipSync(
        Object.fromEntries(names.map((name) => [name, strToU8("application/vnd.oasis.opendocument.text")])),
      );
    expect(detectFormat(zip("word/document.xml"), "a.txt")).toBe("docx");
    expect(detectFormat(zip("ppt/presentation.xml"), "a.docx")).toBe("pptx");
    expect(detectFormat(zip("xl/workbook.xml"), "a")).toBe("xlsx");
    const odt = zipSync({ mimetype: [strToU8("application/vnd.oasis.opendocument.text"), { level: 0 }] });
    expect(detectFormat(odt, "a.docx")).toBe("odt");
    const epub = zipSync({ mimetype: [strToU8("application/epub+zip"), { level: 0 }] });
    expect(detectFormat(epub, "a.odt")).toEqual({ seems: "a file of the type application/epub+zip" });
    expect(detectFormat(zip("a.txt"), "a.zip")).toEqual({ seems: "a ZIP file" });
  });

  it("is in the guide, with its usual ending", () => {
    const guide = readFileSync(
      join(import.meta.dirname, "../../../functions/site/docs/guides/translation.md"),
      "utf8",
    );
    for (const format of documentFormats) {
      expect(guide).toContain(`\`${format}\``);
      expect(guide).toContain(`\`.${endingsOf(format)[0]}\``);
    }
  });

  it("is in the name of the result", () => {
    expect(translatedName("a.b.docx", "lug", "docx")).toBe("a.b.lug.docx");
    expect(translatedName("notes", "lug", "text")).toBe("notes.lug.txt");
    expect(translatedName("a.xlf", "ach", "xliff")).toBe("a.ach.xlf");
  });
});
