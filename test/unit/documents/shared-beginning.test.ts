import { describe, expect, it } from "vitest";
import { withoutSharedBeginning } from "../../../shared/documents/segments/shared-beginning.ts";

const sources = ["The rain came.", "A cow eats grass.", "My child is ill.", "We sold rice.", "It is hot."];

const written = (replies: readonly string[], texts: readonly string[] = sources) =>
  withoutSharedBeginning(
    texts.map((text) => ({ text })),
    replies.map((response) => ({ response })),
  ).map((result) => (result && "response" in result ? result.response : result?.untranslated));

describe("the beginning that a document's replies share and its sources do not", () => {
  it("is removed where words are left behind it", () => {
    const announced = ["Enkuba yajja.", "Ente erya omuddo.", "Omwana wange mulwadde."];
    const replies = [
      ...announced.map((text) => `Your translation is: ${text}`),
      "Twatunda omuceere.",
      "Kyokya.",
    ];
    expect(written(replies)).toEqual([...announced, "Twatunda omuceere.", "Kyokya."]);
  });

  it("ends with a word, also without a colon", () => {
    expect(
      written(["In Luganda we say Enkuba", "In Luganda we say Ente", "In Luganda we say Enju", "Yee", "Kyo"]),
    ).toEqual([...["Enkuba", "Ente", "Enju", "Yee", "Kyo"]]);
  });

  it("leaves a segment without words where it is the whole reply", () => {
    const refusal = "Tewali kye mmanyi.";
    expect(written([refusal, refusal, refusal, "Yee", "Kyokya."])).toEqual([
      "empty",
      "empty",
      "empty",
      "Yee",
      "Kyokya.",
    ]);
  });

  it.each([
    [
      "when two replies have it",
      ["Minisita w'ebyobulamu agambye", "Minisita w'ebyobulamu azze", "Ente", "Yee", "Kyo"],
      sources,
    ],
    [
      "when the sources begin alike",
      ["Minisita w'ebyobulamu agambye", "Minisita w'ebyobulamu azze", "Minisita w'ebyobulamu agenze"],
      ["The minister of health said", "The minister of health came", "The minister of health left"],
    ],
    ["when it is short", ["Ekyo kye kya", "Ekyo kye ba", "Ekyo kye ga", "Yee", "Kyo"], sources],
    [
      "when it consists of tags",
      ["<1>Enkuba</1> <2>a</2>", "<1>Ente</1> <2>a</2>", "<1>Enju</1> <2>a</2>", "Yee", "Kyo"],
      sources,
    ],
  ])("stays %s", (_when, replies, texts) => {
    expect(written(replies, texts)).toEqual(replies);
  });

  it("stays when a fifth of the replies or fewer have it", () => {
    const texts = Array.from({ length: 15 }, (_, index) => `${"abcdefghijklmno"[index]} source of its own`);
    const replies = texts.map((text, index) => (index < 3 ? `Your translation is: ${text}` : `${text} nnyo`));
    expect(written(replies, texts)).toEqual(replies);
  });

  it("stays in replies that are not judged", () => {
    const results = sources.map((text) => ({
      response: `No translation of ${text}`,
      isJudged: false as const,
    }));
    const passages = sources.map((text) => ({ text }));
    expect(withoutSharedBeginning(passages, results)).toEqual(results);
  });
});
