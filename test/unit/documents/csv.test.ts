import { describe, expect, it } from "vitest";
import { readCsv } from "../../../shared/documents/formats/csv.ts";
import { translateDocument } from "../../../shared/documents/segments/translate-segments.ts";

const translated = (source: string, translate: (text: string) => string, columns?: readonly string[]) =>
  translateDocument(readCsv(source, { columns }), async (text) => translate(text));

const repeat = (text: string): string => text;
const upperCase = (text: string): string => text.toUpperCase();
const withoutTags = (text: string): string => text.replaceAll(/<[^>]*>/g, "");

const source = [
  "key,text,note,amount,date,link,language",
  'home.title,"Welcome, ""friend"", to {place}",,12 kg,2026-01-02,https://example.org/a-page,en',
  'home.text,"First line\nsecond line\n",  a note  ,1.5,12 March 2026,https://example.org,lg',
  'userName,Plain words,"",UGX 500,Mon 2 Feb,,en',
  "",
  "short,row",
].join("\r\n");

describe("A CSV file", () => {
  it("stays the same when the model repeats its words", async () => {
    const files = [
      source,
      `\uFEFF${source}\n`,
      source.replaceAll("\r\n", "\r"),
      "",
      "a",
      "a,b\nsome words,",
      "\n\n",
    ];
    for (const text of files)
      expect(await translated(text, repeat)).toMatchObject({ text, untranslated: [] });
  });

  it("has the columns with prose translated below the header", async () => {
    const { text } = await translated(source, upperCase);
    expect(text).toBe(
      [
        "key,text,note,amount,date,link,language",
        'home.title,"WELCOME, ""FRIEND"", TO {place}",,12 kg,2026-01-02,https://example.org/a-page,en',
        'home.text,"FIRST LINE\nSECOND LINE\n",  A NOTE  ,1.5,12 March 2026,https://example.org,lg',
        'userName,PLAIN WORDS,"",UGX 500,Mon 2 Feb,,en',
        "",
        "short,ROW",
      ].join("\r\n"),
    );
  });

  it.each([
    [["text"], "a,text\nsome words,SOME WORDS"],
    [["1"], "a,text\nSOME WORDS,some words"],
    [["a", " 2 "], "a,text\nSOME WORDS,SOME WORDS"],
    [[], "a,text\nsome words,some words"],
  ])("has the named columns %j translated", async (columns, expected) => {
    expect((await translated("a,text\nsome words,some words", upperCase, columns)).text).toBe(expected);
  });

  it("has a column with the name of a number rather than that column", async () => {
    expect((await translated("a,1\nx y,x y", upperCase, ["1"])).text).toBe("a,1\nx y,X Y");
  });

  it.each([
    [",", "a,b\nsome words,x1"],
    [";", "a;b;c\nsome, words; here, too;x1\nmore, words;and;x2"],
    ["\t", "a\tb\nsome, words; too\tx1"],
    [",", "text\nsome words"],
  ])("may have the separator %j", async (separator, text) => {
    const result = await translated(text, () => `one${separator}two`);
    expect(result.text).toContain(`"one${separator}two"`);
    expect(await translated(text, repeat)).toMatchObject({ text });
  });

  it("has quotes around a cell when its translation needs them", async () => {
    const written = async (cell: string, translation: string) =>
      (await translated(`a,b\n${cell},x1`, () => translation)).text;
    expect(await written(" some words ", "one, two")).toBe('a,b\n" one, two ",x1');
    expect(await written("some words", 'say "one"')).toBe('a,b\n"say ""one""",x1');
    expect(await written('some "words"', 'one "two"')).toBe('a,b\none "two",x1');
    expect(await written('some "words"', '"one" two')).toBe('a,b\n"""one"" two",x1');
    expect(await written('"some words"', 'one, "two"')).toBe('a,b\n"one, ""two""",x1');
  });

  it("has a long cell without quotes translated where it needs none", async () => {
    const cell = "Some words of a sentence. ".repeat(400).trim();
    const text = `a\tb\n${cell}\tx1`;
    expect((await translated(text, upperCase)).text).toBe(`a\tb\n${cell.toUpperCase()}\tx1`);
    const { untranslated } = await translated(text, (passage) => `${passage}\t`.replace(" ", "\t"));
    expect(untranslated.map(({ reason }) => reason)).toContain("structure_changed");
  });

  it("keeps a cell whose line breaks the model loses", async () => {
    const text = 'a,b\n"one\ntwo",some words';
    expect(await translated(text, (passage) => withoutTags(passage).toUpperCase())).toMatchObject({
      text: 'a,b\n"one\ntwo",SOME WORDS',
      untranslated: [{ index: 0, reason: "markup_lost" }],
    });
  });
});

describe("Cells that are not prose", () => {
  it.each([
    "N/A",
    "12.5",
    "-3,5",
    "2026-01-02T10:00:00Z",
    "Jan 5, 2026",
    "12 kg",
    "UGX 500",
    "user_name",
    "userName",
    "home.title",
    "icons/home.svg",
    "https://example.org/some-page",
    "someone@example.org",
    "{name}",
    "TRUE",
    "null",
    "en",
    "UG",
    "#fff",
    "2f1a-77bc",
    "",
  ])("do not choose their column: %j", (cell) => {
    expect(readCsv(`a\tb\n${cell}\tx1`).segments).toEqual([]);
  });

  it.each([
    "hello",
    "Hi",
    "two words",
    "see https://example.org",
    "Monday",
    "你好",
    "ng'ombe",
    "STOP",
    "3 houses",
  ])("do not include %j", (cell) => {
    expect(readCsv(`a\tb\n${cell}\tx1`).segments).toHaveLength(1);
  });
});

describe("Single words", () => {
  const lengths = (column: readonly string[], name = "a") =>
    readCsv(`${name}\tb\n${column.map((cell) => `${cell}\tx1\n`).join("")}`).segments.length;

  it("are identifiers in a column of which more cells are identifiers", () => {
    expect(lengths(["home.title", "home_text", "greeting"])).toBe(0);
    expect(lengths(["greeting", "COVID-19", "illness"])).toBe(3);
    expect(lengths(["home.title", "home_text", "two words"])).toBe(3);
  });

  it("are identifiers in a column with the name of one", () => {
    expect(lengths(["greeting"], "Key")).toBe(0);
    expect(lengths(["greeting you"], "Key")).toBe(1);
  });
});

describe("An invalid CSV file", () => {
  it.each([
    ['a,b\n"some words', 2, "a quoted cell has no end"],
    ['a,b\n"one\ntwo",x\r\n"some" words,x', 4, "the cell continues after its closing quote"],
  ])("is refused with the line: %j", (text, line, problem) => {
    expect(() => readCsv(text)).toThrow(`The CSV is invalid: line ${line}: ${problem}.`);
  });

  it.each(["c", "0", "3", "A"])("has no column %j, and the message lists those it has", (column) => {
    expect(() => readCsv('a,"b ""c"""\nx,y', { columns: ["a", column] })).toThrow(
      String.raw`does not exist. The file has "a", "b \"c\""; numbers start at 1.`,
    );
  });
});
