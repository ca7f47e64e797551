import { describe, expect, it } from "vitest";
import { inOrderOfUse, promptWith, withAlternatives } from "../../../../shared/models/inference/keywords.ts";
import type { Segment, Word } from "../../../../shared/models/inference/transcription.ts";

const towns = Array.from(
  { length: 200 },
  (_, index) => `Kanyansi${String.fromCodePoint(97 + (index % 26))}${index}`,
);

describe("the prompt of a recording", () => {
  it.each([
    ["has keywords in their order", ["Okello", "Gulu"], "", "Okello, Gulu"],
    ["has the text after them", ["Okello"], "At the market.", "Okello. At the market."],
    ["has a keyword once, where it comes last", ["Gulu", "Okello", " gulu "], "", "Okello, gulu"],
    ["is the text alone, unchanged", [], `${"word ".repeat(400)}end`, `${"word ".repeat(400)}end`],
    ["is missing when there is nothing to say", ["", " "], "", undefined],
  ])("%s", (_title, keywords, text, prompt) => {
    expect(promptWith(keywords, text)).toBe(prompt);
  });

  it("leaves out the first of more keywords than a model reads", () => {
    const prompt = promptWith(towns) ?? "";
    expect(prompt.split(", ")).toEqual(towns.slice(-prompt.split(", ").length));
    expect(prompt.split(", ").length).toBeGreaterThan(20);
    expect(prompt.replaceAll(/[^A-Za-z]/g, "").length / 2).toBeLessThan(224);
  });

  it("keeps the end of a text that is too long, and the last keywords", () => {
    const prompt = promptWith(towns, `${"word ".repeat(400)}end`) ?? "";
    expect(prompt).toMatch(/^Kanyansi\w+, .*Kanyansir199\. (?:word )+end$/);
    expect(prompt.split("word").length).toBeGreaterThan(30);
  });

  it("counts letters of other scripts by their bytes, which are the most tokens that they can be", () => {
    const prompt = promptWith(
      Array.from({ length: 60 }, () => "ኃይለማርያም").map((name, index) => `${name}${index}`),
    );
    expect(Buffer.byteLength(prompt ?? "")).toBeLessThanOrEqual(224 + 9 * 2);
  });
});

describe("keywords in the order of their use", () => {
  it("end with those that were just said, the last one last", () => {
    const said = "Okello yagenda e Gulu. Gulu, wa Okello!";
    expect(inOrderOfUse(["Okello", "Amina", "Gulu", "New Town"], said)).toEqual([
      "Amina",
      "New Town",
      "Gulu",
      "Okello",
    ]);
  });
});

const heard = (text: string, more: Partial<Segment> = {}) => ({
  segments: [{ start: 0, end: 4, text, ...more }],
  words: undefined,
});

const alternativesIn = (text: string, keywords: readonly string[], more: Partial<Segment> = {}) =>
  withAlternatives(heard(text, more), keywords).segments[0]?.alternatives;

describe("a keyword that was probably said", () => {
  it.each([
    ["with a letter replaced", "“Sekitoreko,” azze.", "Sekitoleko", "“Sekitoleko,” azze."],
    ["with a letter missing", "Sekitolko azze.", "Sekitoleko", "Sekitoleko azze."],
    ["with a letter too many", "azze Sekkitoleko", "Sekitoleko", "azze Sekitoleko"],
    ["with another spelling of its beginning", "e Lubaga.", "Rubaga", "e Rubaga."],
    ["of two words", "mu New Vishion leero", "New Vision", "mu New Vision leero"],
  ])("is offered %s", (_title, text, keyword, alternative) => {
    expect(alternativesIn(text, [keyword])).toEqual([alternative]);
    expect(withAlternatives(heard(text), [keyword]).segments[0]?.text).toBe(text);
  });

  it.each([
    ["as it was said", "Sekitoleko azze.", ["sekitoleko"]],
    ["with two edits", "Sekitorek azze.", ["Sekitoleko"]],
    ["that begins otherwise", "Bekitoleko azze.", ["Sekitoleko"]],
    ["where another keyword was heard", "Nakato azze.", ["Nakate", "Nakato"]],
    ["that is too short", "ana", ["Ani"]],
  ])("is not offered %s", (_title, text, keywords) => {
    expect(alternativesIn(text, keywords)).toBeUndefined();
  });

  it.each([
    [{ probability: 0.95 }, false],
    [{ probability: 0.5 }, true],
    [{ probability: 0.95, confidence: 0.6 }, true],
    [{ probability: 0.5, confidence: 0.93 }, false],
  ])("is offered by how sure the model is: %j", (certainty, isOffered) => {
    expect(alternativesIn("Sekitoreko azze.", ["Sekitoleko"], certainty) !== undefined).toBe(isOffered);
  });

  it("is offered next to the word, by the word's own probability", () => {
    const words: Word[] = [
      { start: 0, end: 1, text: "Sekitoreko,", probability: 0.4 },
      { start: 1, end: 2, text: "Sekitoreko", probability: 0.97 },
    ];
    const segment = { start: 0, end: 2, text: "Sekitoreko, Sekitoreko", probability: 0.97 };
    const found = withAlternatives({ segments: [segment], words }, ["Sekitoleko"]);
    expect(found.words.map(({ alternatives }) => alternatives)).toEqual([["Sekitoleko,"], undefined]);
    expect(found.segments[0]?.text).toBe(segment.text);
  });
});
