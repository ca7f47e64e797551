import { readPhrases } from "@language-ai/language-id-training";
import { describe, expect, it } from "vitest";
import {
  classify,
  type IdentifiableLanguage,
  identifiableLanguages,
} from "../../../../shared/models/language-id/identification.ts";
import { loadLanguageModel } from "../../../../shared/models/language-id/model.ts";
import { readWeights } from "../../../../shared/models/language-id/weights.ts";

const model = loadLanguageModel(readWeights());

/** None of these is among the phrases the model was trained with. */
const sentences: Readonly<Record<IdentifiableLanguage, readonly string[]>> = {
  ach: ["Dano weng gitye ki twero", "Latin tye ka kwano buk i gang kwan", "Pii pe tye i pii wel"],
  teo: ["Ejaasi itunga luipu toma okalakalait", "Abu ngesi olosi osomero", "Eong akoto aisisia"],
  eng: ["The children are going to school", "Where is the nearest hospital?", "It rained all night"],
  lug: ["Abaana bagenda ku ssomero", "Eddwaliro liri ludda wa?", "Enkuba etonnye ekiro kyonna"],
  lgg: ["Anzi eyi nga mu sukulu a", "Ba 'diyi nga azi nga amvu ma alea", "Ma mu aro vu ra"],
  nyn: ["Abaana nibaza aha ishomero", "Omukazi naateeka ebyokurya", "Abantu baingi nibakora omu misiri"],
};

describe.each(identifiableLanguages)("language identification of %s", (language) => {
  it.each(sentences[language])("is sure of the sentence %j", (sentence) => {
    expect(classify(model.identify(sentence))).toBe(language);
  });

  it("recognises every phrase of the list it was trained with, typed in capitals", () => {
    const phrases = readPhrases().filter((phrase) => phrase.language === language);
    expect(phrases.length).toBeGreaterThanOrEqual(30);
    const mistaken = phrases.filter(({ text }) => model.identify(text.toUpperCase()).language !== language);
    expect(mistaken.map(({ text }) => text)).toEqual([]);
  });
});

describe("texts that are in none of the six languages", () => {
  it.each([
    ["Swahili", "Habari yako rafiki, unaenda wapi leo?"],
    ["Kinyarwanda", "Muraho neza, amakuru yawe ni ayahe?"],
    ["French", "Bonjour mes amis, comment allez-vous ?"],
    ["German", "Wo ist hier das nächste Krankenhaus?"],
    ["Arabic", "صباح الخير يا أصدقائي"],
    ["Amharic", "እንደምን አደርክ"],
    ["Russian", "Доброе утро, друзья"],
    ["Chinese", "你好，我的朋友"],
    ["Tibetan, a script no training text is in", "བཀྲ་ཤིས་བདེ་ལེགས"],
  ])("withholds a result from %s", (_, text) => {
    expect(classify(model.identify(text))).toBeUndefined();
  });

  it.each(["", "   ", "12345", "🙂🙂🙂", "?!", "https://example.org/luganda", "\ud800"])(
    "says that %j, which has no words, is in no language",
    (text) => {
      expect(model.identify(text)).toEqual({ language: "eng", confidence: 1 / 6, other: 1 });
      expect(classify(model.identify(text))).toBeUndefined();
    },
  );
});
