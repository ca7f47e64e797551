import { describe, expect, it } from "vitest";
import { readJsonTexts } from "../../../shared/documents/formats/json.ts";
import { translateDocument } from "../../../shared/documents/segments/translate-segments.ts";

const translated = (source: string, translate: (text: string) => string) =>
  translateDocument(readJsonTexts(source), async (text) => translate(text));

const repeat = (text: string): string => text;
const upperCase = (text: string): string => text.toUpperCase();

const source = String.raw`{
  "greeting": "Hello \u00e9t\u00e9 \"world\", see C:\\temp and a\/b.",
  "count":	"You have {{count}} messages\nin %s.\n",
  "nested": {"list": ["One", 2, -1.5e+3, true, null, "", "Two 😀 \ud83d\ude00 \ud800 end"]},
  "empty": {}, "none": [] , "address": "https://example.org/a"
}
`;

describe("A JSON file", () => {
  it("stays the same when the model repeats its words", async () => {
    for (const text of [source, `\uFEFF${source.replaceAll("\n", "\r\n")}`, '"Hello"', " [ [ ] , {} ] "]) {
      expect(await translated(text, repeat)).toMatchObject({ text, untranslated: [] });
    }
  });

  it("has its strings translated, not its keys, placeholders, escapes and other values", async () => {
    const { text } = await translated(source, upperCase);
    expect(text).toBe(String.raw`{
  "greeting": "HELLO ÉTÉ \"WORLD\", SEE C:\\TEMP AND A\/B.",
  "count":	"YOU HAVE {{count}} MESSAGES\nIN %s.\n",
  "nested": {"list": ["ONE", 2, -1.5e+3, true, null, "", "TWO 😀 \ud83d\ude00 \ud800 END"]},
  "empty": {}, "none": [] , "address": "https://example.org/a"
}
`);
  });

  it("is valid JSON with any words, in the values of the source", async () => {
    const words = 'a "quoted" \\ back\tslash \u00E9';
    const { text } = await translated('{"a": ["Hello"]}', () => words);
    expect(JSON.parse(text)).toEqual({ a: [words] });
  });

  it("keeps line breaks within a string, and does not send those around it", async () => {
    const sent: string[] = [];
    const { text } = await translated(String.raw`["\n\r\nOne\n\nTwo\tx\n"]`, (passage) => {
      sent.push(passage);
      return passage.toLowerCase();
    });
    expect(sent).toEqual(["One<1/>Two<2/>x"]);
    expect(text).toBe(String.raw`["\n\r\none\n\ntwo\tx\n"]`);
  });

  it("may be nested without a limit", async () => {
    const [open, close] = ["[".repeat(200_000), "]".repeat(200_000)];
    expect((await translated(`${open}"a word"${close}`, upperCase)).text).toBe(`${open}"A WORD"${close}`);
  });

  it("may have a string of 200,000 characters, and no longer one", () => {
    const text = "Some words. ".repeat(20_000);
    const { segments } = readJsonTexts(`["${text.slice(0, 200_000)}"]`);
    expect(segments.length).toBeGreaterThan(50);
    expect(() => readJsonTexts(`["${text.slice(0, 200_001)}"]`)).toThrow(
      "A passage of the document has more than 200,000 characters. Divide it.",
    );
  });
});

describe("Invalid JSON", () => {
  it.each([
    ["", 1, 1, "expected was a value"],
    ["\uFEFF", 1, 1, "expected was a value"],
    ['\uFEFF{"a" 1}', 1, 6, "expected was a colon"],
    ['{"a": "😀" "b"}', 1, 11, "expected was a comma or }"],
    ['{\r\n  "a": 1,\r\n}', 3, 1, "expected was a key in double quotes"],
    ["[1\n,]", 2, 2, "expected was a value"],
    ["[1}", 1, 3, "expected was a comma or ]"],
    ["{]", 1, 2, "expected was a key in double quotes or }"],
    ["[1] 2", 1, 5, "expected was the end of the file"],
    ["[[1]", 1, 5, "expected was a comma or ]"],
    ["[01]", 1, 2, "there is no such value"],
    ["[1.]", 1, 2, "there is no such value"],
    ["[truex]", 1, 2, "there is no such value"],
    ["['a']", 1, 2, "there is no such value"],
    ["[NaN]", 1, 2, "there is no such value"],
    ['["a]', 1, 2, "the string has no end"],
    ['["a\n"]', 1, 4, "a control character is not escaped"],
    [String.raw`["a\x"]`, 1, 4, "this escape does not exist"],
    [String.raw`["\u12g4"]`, 1, 3, "this escape does not exist"],
  ])("is refused with the position: %j", (text, line, column, problem) => {
    expect(() => readJsonTexts(text)).toThrow(
      `The JSON is invalid: line ${line}, column ${column}: ${problem}.`,
    );
    expect(() => JSON.parse(text.replace("\uFEFF", ""))).toThrow();
  });
});
