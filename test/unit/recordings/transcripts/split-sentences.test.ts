import { describe, expect, it } from "vitest";
import { hasWords, splitSentences } from "../../../../shared/recordings/transcripts/split-sentences.ts";

describe("a long text", () => {
  it("is split between sentences, and has all its words", () => {
    const text = "One two three. Four five? Six seven eight nine! Ten.";
    const parts = splitSentences(text, 27);
    expect(parts).toEqual(["One two three. Four five?", "Six seven eight nine! Ten."]);
    expect(parts.join(" ")).toBe(text);
  });

  it("is split between words, or inside them, when a sentence is too long", () => {
    expect(splitSentences("aaaa bbbb cccc dddd. ee", 9)).toEqual(["aaaa bbbb", "cccc", "dddd. ee"]);
    expect(splitSentences("ɛ".repeat(25), 10)).toEqual(["ɛ".repeat(10), "ɛ".repeat(10), "ɛ".repeat(5)]);
  });

  it("may be short or empty", () => {
    expect(splitSentences("  Oli \n otya?  ", 100)).toEqual(["Oli otya?"]);
    expect(splitSentences(" \n ", 100)).toEqual([]);
  });
});

it("Dots and notes of music are no words", () => {
  expect(["…", "♪ ♪", "[ ]"].filter(hasWords)).toEqual([]);
  expect(["Ee", "12", "ሰላም"].every(hasWords)).toBe(true);
});
