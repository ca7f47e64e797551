import { describe, expect, it } from "vitest";
import { readPo } from "../../../shared/documents/formats/po.ts";
import { translateDocument } from "../../../shared/documents/segments/translate-segments.ts";

const translated = (source: string, translate: (text: string) => string) =>
  translateDocument(readPo(source), async (text) => translate(text));

const repeat = (text: string): string => text;
const upperCase = (text: string): string => text.toUpperCase();
const withoutTags = (text: string): string => text.replaceAll(/<[^>]*>/g, "");

const source = String.raw`# A comment
msgid ""
msgstr ""
"Language: lg\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

#: src/main.c:1
#, c-format
msgid "Hello %s, say \"yes\" in C:\\temp\n"
msgstr ""

msgctxt "menu"
msgid "Done"
msgstr "Wedde"

#, fuzzy, c-format
#| msgid "Old words"
msgid "New words"
msgstr ""
"Old "
"words"

msgid ""
"First line\n"
"\n"
"second line that is "
"continued\n"
msgstr ""

msgid "One file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
msgstr[2] "%d wedde"

#, fuzzy
#~ msgid "Obsolete"
#~ msgstr "Old"

msgid "Not fuzzy"
msgstr "Wedde"`;

/** What is not in a translation. */
const withoutTranslations = (text: string): string =>
  text.replaceAll(/^(msgstr.*?) *"[^\n]*(?:\r?\n"[^\n]*)*/gm, "$1");

describe("A PO file", () => {
  it("stays the same outside its translations when the model repeats its words", async () => {
    for (const text of [source, `\uFEFF${source}\n`, source.replaceAll("\n", "\r\n")]) {
      const result = await translated(text, repeat);
      expect(result.untranslated).toEqual([]);
      expect(withoutTranslations(result.text)).toBe(withoutTranslations(text));
      expect(result.text).not.toBe(text);
    }
  });

  it("has the entries without a translation, or with a fuzzy one, translated", async () => {
    const { text } = await translated(source, upperCase);
    expect(text).toBe(
      source
        .replace(
          `${String.raw`C:\\temp\n"`}\nmsgstr ""`,
          `${String.raw`C:\\temp\n"`}\n${String.raw`msgstr "HELLO %s, SAY \"YES\" IN C:\\TEMP\n"`}`,
        )
        .replace('msgstr ""\n"Old "\n"words"', 'msgstr "NEW WORDS"')
        .replace(
          '"continued\\n"\nmsgstr ""',
          '"continued\\n"\nmsgstr ""\n"FIRST LINE\\n"\n"\\n"\n"SECOND LINE THAT IS CONTINUED\\n"',
        )
        .replace('msgstr[0] ""', 'msgstr[0] "ONE FILE"')
        .replace('msgstr[1] ""', 'msgstr[1] "%d FILES"'),
    );
  });

  it("has the words of several strings translated as one passage, and long lines divided", async () => {
    const sent: string[] = [];
    const words = "some words of a sentence ".repeat(10);
    const { text } = await translated(`msgid ""\r\n  "${words}"\r\n  "end"\r\nmsgstr ""\r\n`, (passage) => {
      sent.push(passage);
      return "a word ".repeat(50).trim();
    });
    expect(sent).toEqual([`${words}end`]);
    const lines = text.split("\r\n");
    expect(lines.slice(3, 5)).toEqual(['msgstr ""', `  "${"a word ".repeat(35)}a "`]);
    expect(text.endsWith(' word"\r\n')).toBe(true);
  });

  it("divides lines after line breaks, and not after a backslash before an n", async () => {
    const { text } = await translated(
      `${String.raw`msgid "" "a\n" "C:\\new folder\n"`}\nmsgstr "" ""`,
      upperCase,
    );
    expect(text.split("\n")[1]).toBe(String.raw`msgstr "" "A\n" "C:\\NEW FOLDER\n"`);
  });

  it("has special characters of a translation escaped", async () => {
    const { text } = await translated('msgid "Words"\nmsgstr ""', () => 'a "b"\tc \\ d');
    expect(text).toBe(`msgid "Words"\n${String.raw`msgstr "a \"b\"\tc \\ d"`}`);
  });

  it("keeps an entry whose placeholders or line breaks the model loses", async () => {
    const text = `msgid "Some %(words)s"\nmsgstr ""\n\nmsgid "one\\ntwo"\nmsgstr ""\n`;
    expect(await translated(text, withoutTags)).toMatchObject({
      text,
      untranslated: [
        { index: 0, reason: "markup_lost" },
        { index: 1, reason: "markup_lost" },
      ],
    });
  });

  it("has a long entry translated at once, or not at all", async () => {
    const long = (count: number): string => `msgid "${"Some words\\n".repeat(count)}"\nmsgstr ""`;
    expect((await translated(long(300), upperCase)).text).toContain(
      `msgstr "${"SOME WORDS\\n".repeat(300)}"`,
    );
    expect(await translated(long(1000), repeat)).toMatchObject({
      text: long(1000),
      untranslated: [{ reason: "too_long" }],
    });
  });

  it("has equal messages translated at once, also when they are cut into other strings", async () => {
    const text =
      'msgid "Delete %s and %d files"\nmsgstr ""\n\nmsgctxt "b"\nmsgid ""\n"Delete %s a"\n"nd %d files"\nmsgstr ""\n';
    const result = await translated(text, (words) => words.toUpperCase());
    expect(result.text.match(/DELETE %s AND %d FILES/g)).toHaveLength(2);
    expect(result.characters).toBe(18);
  });

  it.each([
    ["c", "%5.1f of %s", "swap"],
    ["python", "No %r in %s", "swap"],
    ["python-brace", "{} of {:d}", "swap"],
    ["c", "A word", "a % word"],
    ["c", "All %d", "all <1/> of %d"],
    ["python-brace", "A word", "a {word}"],
    ["sh", "No $name now", "no name now"],
    ["lisp", "~A of ~S", "swap"],
  ])("keeps a message of %s-format whose program would fail: %j", async (flag, words, reply) => {
    const text = `#, ${flag}-format\nmsgid "${words}"\nmsgstr ""\n`;
    const swap = (sent: string): string => sent.replace(/(<\d\/>)(.*)(<\d\/>)/, "$3$2$1");
    const { text: written, untranslated } = await translated(text, (sent) =>
      reply === "swap" ? swap(sent) : reply,
    );
    expect(written).toBe(text);
    expect(untranslated).toHaveLength(1);
  });

  it("may have placeholders with numbers or names in another order", async () => {
    const text = '#, c-format\nmsgid "%1$s of %2$s"\nmsgstr ""\n';
    const swap = (sent: string): string => sent.replace(/(<1\/>) of (<2\/>)/, "$2 ya $1");
    expect((await translated(text, swap)).text).toContain('msgstr "%2$s ya %1$s"');
  });

  it("has the only form of a language translated from the plural", async () => {
    const header = 'msgid ""\nmsgstr "Plural-Forms: nplurals=1; plural=0;\\n"\n\n';
    const text = `${header}msgid "One file"\nmsgid_plural "%d files"\nmsgstr[0] ""\n`;
    expect((await translated(text, upperCase)).text).toContain('msgstr[0] "%d FILES"');
  });

  it.each([
    ["n%10==1 && n%100!=11 ? 0 : 1", "%d HOURS"],
    ["n==0 ? 0 : n==1 ? 1 : 2", "%d HOURS"],
    ["(n==1) ? 0 : n>=2 && n<=4 ? 1 : 2", "AN HOUR"],
    ["n > 1", "AN HOUR"],
    ["(n != 1)", "AN HOUR"],
  ])("has a first form with its number where that is not one: plural=%s", async (rule, first) => {
    const header = `msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=${rule};\\n"\n\n`;
    const entry = (one: string, other: string, forms: readonly string[]): string =>
      `msgid "${one}"\nmsgid_plural "${other}"\n${forms.map((form, index) => `msgstr[${index}] "${form}"\n`).join("")}\n`;
    const source = entry("an hour", "%d hours", ["", ""]) + entry("%d day", "%d days", ["", ""]);
    const written =
      entry("an hour", "%d hours", [first, "%d HOURS"]) + entry("%d day", "%d days", ["%d DAY", "%d DAYS"]);
    expect((await translated(header + source, upperCase)).text).toBe(header + written);
  });

  it.each([
    [1, [""]],
    [2, [""]],
    [3, ["", ""]],
    [1, ["", ""]],
    [2, ["", "", ""]],
  ])("has as many forms as its header says: %d of %j", async (count, forms) => {
    const header = `msgid ""\nmsgstr "Plural-Forms: nplurals=${count}; plural=(n != 1);\\n"\n\n`;
    const entry = (given: readonly string[]): string =>
      `msgid "%d file"\nmsgid_plural "%d files"\n${given.map((form, index) => `msgstr[${index}] "${form}"\n`).join("")}`;
    const written = Array.from({ length: count }, (_, index) =>
      index || count === 1 ? "%d FILES" : "%d FILE",
    );
    expect((await translated(header + entry(forms), upperCase)).text).toBe(header + entry(written));
  });

  it.each([
    ["#, fuzzy, c-format\n", "#, c-format\n"],
    ["#, c-format, fuzzy\n", "#, c-format\n"],
    ["#, fuzzy\n", ""],
  ])(
    "has entries that were fuzzy, and say so unless the caller does not want it: %j",
    async (flags, without) => {
      const entry = (before: string, words: string): string => `${before}msgid "Words"\nmsgstr "${words}"\n`;
      const read = async (keepsFuzzy?: boolean) =>
        (
          await translateDocument(readPo(entry(flags, "old"), { keepsFuzzy }), async (text) =>
            text.toUpperCase(),
          )
        ).text;
      expect(await read()).toBe(entry(flags, "WORDS"));
      expect(await read(false)).toBe(entry(without, "WORDS"));
    },
  );

  it("has all of its entries translated again when the caller wants that", async () => {
    const document = readPo('msgid "Words"\nmsgstr "Ebigambo"\n', { retranslate: true });
    expect((await translateDocument(document, async (text) => text.toUpperCase())).text).toContain(
      'msgstr "WORDS"',
    );
  });

  it("may have no entries, or only a header", () => {
    for (const text of ["", "\n# comment\n", 'msgid ""\nmsgstr "Language: lg\\n"']) {
      expect(readPo(text).segments).toEqual([]);
    }
  });
});

describe("An invalid PO file", () => {
  it.each([
    ['msgid "a"\r\nmsgstr "b', 2, "the string has no end"],
    ['msgid "a\\"\nmsgstr ""', 1, "the string has no end"],
    ['\nmsgstr ""', 2, "msgstr has no msgid"],
    ['msgid "a"\nmsgstr ""\nmsgstr ""', 3, "msgstr has a second one"],
    ['msgid "a"\n\nmsgid "b"\nmsgstr ""', 1, "msgid has no msgstr"],
    ['msgid "a"\nmsgstr ""\n\nmsgid "b"', 4, "msgid has no msgstr"],
    ['msgid_plural "a"', 1, "msgid_plural has no msgid"],
    [
      'msgid "a"\nmsgid_plural "b"\nmsgstr ""',
      3,
      "msgstr has a form in brackets where msgid has a plural, and only there",
    ],
    ['msgid "a"\nmsgstr[0] ""', 2, "msgstr has a form in brackets where msgid has a plural, and only there"],
    ['msgid\nmsgstr ""', 1, "msgid has no string"],
    ['"a"', 1, "the string has no keyword"],
    ['msgid "a"\n# comment\n"b"\nmsgstr ""', 3, "the string has no keyword"],
    ['msgid "a" b\nmsgstr ""', 1, "expected was a string in double quotes"],
    ["words", 1, "expected was a string in double quotes"],
    ['msgids "a"', 1, "expected was a string in double quotes"],
  ])("is refused with the line: %j", (text, line, problem) => {
    expect(() => readPo(text)).toThrow(`The PO file is invalid: line ${line}: ${problem}.`);
  });
});
