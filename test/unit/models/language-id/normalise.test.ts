import { describe, expect, it } from "vitest";
import { normalise } from "../../../../shared/models/language-id/normalise.ts";

describe("bringing a text to the form the model sees", () => {
  it.each([
    ["small letters, without digits and punctuation", "  Oli otya, SSEBO? 42! ", "oli otya ssebo"],
    [
      "one kind of apostrophe",
      "Awaʼdifo, awa’difo, awa`difo, awaꞌdifo",
      "awa'difo awa'difo awa'difo awa'difo",
    ],
    ["an apostrophe at the start of a word, a letter in Lugbara", "'ba 'diyi", "'ba 'diyi"],
    ["no apostrophe outside of words", "' oli ''' otya '", "oli otya"],
    ["no tone marks, even where they have come loose", "Ìbìó dɨ ́ écá", "ibio di eca"],
    ["the plain vowels of the barred ones", "Yɨ̀ rʉ́ ɔ ɛ", "yi ru o e"],
    ["ŋ as it is", "Ŋat aŋo", "ŋat aŋo"],
    ["no addresses and tags", "kebera www.example.org oba a@b.ug #kampala @wange leero", "kebera oba leero"],
    ["no web addresses inside brackets", "soma (https://example.org/a?b=c) leero", "soma leero"],
    ["one sign for letters of any other script", "webale спасибо 谢谢", "webale □ □"],
    ["wide and ligated letters as plain ones", "Ｗｅｂａｌｅ ﬁsh Straße", "webale fish strasse"],
  ])("returns %s", (_, text, expected) => {
    expect(normalise(text)).toBe(expected);
  });

  it("takes linear time on long texts made to be slow", () => {
    const hostile = ["a", "a@", "'", " '", "' ", "a:", "\u0301", " \u0301", "#", "www", "א"];
    for (const text of hostile.map((piece) => piece.repeat(200_000))) {
      expect(normalise(text).length).toBeLessThanOrEqual(text.length);
    }
  });
});
