import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadSourceLanguageDetector } from "../../../../shared/models/source-language/detector.ts";
import { detectableLanguages } from "../../../../shared/models/source-language/languages.ts";
import { readSparseWeights } from "../../../../shared/models/source-language/weights.ts";
import { translationLanguages } from "../../../../shared/platform/catalogue/languages.ts";

const detector = loadSourceLanguageDetector(readSparseWeights());

/** Written for this test; the model was not trained on them. */
const sentences: Readonly<Record<string, readonly string[]>> = {
  ach: ["Dano weng gitye ki twero", "Latin tye ka kwano buk i gang kwan", "Pii pe tye i pii wel"],
  teo: ["Ejaasi itunga luipu toma okalakalait", "Abu ngesi olosi osomero"],
  eng: ["The children are going to school", "Where is the nearest hospital?", "It rained all night"],
  lug: ["Abaana bagenda ku ssomero", "Eddwaliro liri ludda wa?", "Enkuba etonnye ekiro kyonna"],
  lgg: ["Anzi eyi nga mu sukulu a", "Ba 'diyi nga azi nga amvu ma alea"],
  nyn: [
    "Abaana nibaza aha ishomero burizooba",
    "Omukazi naateekyera omushaija we",
    "Nitugyenda aha katare nyenkyakare",
  ],
  swa: ["Watoto wanaenda shuleni", "Hospitali ya karibu iko wapi?", "Mvua ilinyesha usiku kucha"],
  kin: ["Abana bagiye ku ishuri", "Imvura yaguye ijoro ryose", "Ndashaka kugura amata n'umugati"],
};

describe.each(Object.keys(sentences))("detecting %s", (code) => {
  it.each(sentences[code] ?? [])("never names another language for %j", (sentence) => {
    expect([code, undefined]).toContain(detector.detect(sentence)?.code);
  });

  it("is sure of most sentences", () => {
    const found = (sentences[code] ?? []).filter((sentence) => detector.detect(sentence)?.code === code);
    expect(found.length).toBeGreaterThan((sentences[code]?.length ?? 0) / 2);
  });
});

describe("texts whose language is not detected", () => {
  it.each([
    ["a word of several languages", "Asante"],
    ["French", "Bonjour mes amis, comment allez-vous ?"],
    ["German", "Wo ist hier das nächste Krankenhaus?"],
    ["Arabic", "صباح الخير يا أصدقائي"],
    ["Chinese", "你好，我的朋友"],
    ["nothing", ""],
    ["no letters", "12345 🙂 ?!"],
    ["an address", "https://example.org/luganda"],
    ["half a character", "\ud800"],
  ])("are for example %s", (_, text) => {
    expect(detector.detect(text)).toBeUndefined();
  });
});

describe("detecting any text", () => {
  it("returns nothing, or one of the detectable languages with a probability of at least 0.95", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc
        .array(fc.constantFrom(...Object.values(sentences).flat()), { maxLength: 4 })
        .map((parts) => parts.join(" ")),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        const found = detector.detect(text);
        expect(detector.detect(text)).toEqual(found);
        if (found === undefined) return;
        expect(detectableLanguages).toContain(found.code);
        expect(found.probability).toBeGreaterThanOrEqual(0.95);
        expect(found.probability).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });

  it("reads no more than the first 1,000 code points, in linear time", () => {
    const text = "Watoto wanaenda shuleni kila siku. ".repeat(30);
    expect(detector.detect(text + "The children are going to school. ".repeat(100_000))).toEqual(
      detector.detect(text.slice(0, 1_000)),
    );
  });
});

it("detects only languages of translation", () => {
  const codes = translationLanguages.map(({ code }) => code);
  expect(detectableLanguages.filter((language) => !codes.includes(language))).toEqual([]);
});
