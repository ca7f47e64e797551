import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ThinkingFilter, withoutThinking } from "../../../shared/inference/openai/thinking.ts";

const inPieces = (pieces: readonly string[]): string => {
  const filter = new ThinkingFilter();
  return pieces.map((piece) => filter.push(piece)).join("") + filter.end();
};

describe("an answer without what the model thought", () => {
  it.each([
    ["Oli otya?", "Oli otya?"],
    ["<think>Luganda.</think>Oli otya?", "Oli otya?"],
    ["<think>Luganda,\nI suppose.</think>\n\nOli otya?\n", "Oli otya?\n"],
    ["<think></think>\n<think>again</think>\n Oli otya?", "Oli otya?"],
    ["Oli <think>Hmm.</think> otya?", "Oli  otya?"],
    ["Oli otya?<think>That was it.", "Oli otya?"],
    ["<think>Hmm", ""],
    ["  Oli otya?", "  Oli otya?"],
    ["\n<think>x</think>\nOli otya?", "\nOli otya?"],
    ["a < b <thin", "a < b <thin"],
    ["a <think", "a <think"],
    ["no </think> block", "no </think> block"],
    ["<thi<think>x</think>nk>kept", "<thi" + "nk>kept"],
    ["<<think>x</think>y", "<y"],
    ["<think>a<think>b</think>c</think>d", "c</think>d"],
    ["<THINK>loud</THINK>", "<THINK>loud</THINK>"],
    ["", ""],
  ])("%j reads %j", (text, visible) => {
    expect(withoutThinking(text)).toBe(visible);
  });

  const text = fc
    .array(fc.constantFrom("<think>", "</think>", "<thi", "<", ">", "/", "think", " ", "\n", "a", "Ŋ😀"), {
      maxLength: 14,
    })
    .map((parts) => parts.join(""));

  it("is the same however the text is cut into pieces", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 60 }), { maxLength: 12 }), (whole, cuts) => {
        const places = [0, ...cuts.filter((cut) => cut < whole.length).toSorted((a, b) => a - b)];
        const pieces = places.map((start, index) => whole.slice(start, places[index + 1] ?? whole.length));
        expect(inPieces(pieces)).toBe(withoutThinking(whole));
        expect(inPieces(whole.split(""))).toBe(withoutThinking(whole));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is, but for the white space, what a search for blocks in the whole text leaves", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const expected = whole.replaceAll(/<think>[\s\S]*?(?:<\/think>|$)/g, "");
        expect(withoutThinking(whole).trim()).toBe(expected.trim());
      }),
      { numRuns: 2_000 },
    );
  });

  it("is shown as soon as it cannot be thought any more", () => {
    const filter = new ThinkingFilter();
    expect(
      ["a", " <", "th", "e>", "<think>", "b", "</thin", "k>c"].map((piece) => filter.push(piece)),
    ).toEqual(["a", " ", "", "<the>", "", "", "", "c"]);
  });
});
