import { describe, expect, it } from "vitest";
import {
  findLanguage,
  languages,
  transcriptionLanguages,
  translationLanguages,
} from "../../../../shared/platform/catalogue/languages.ts";

/** The specification's own list (section Translation), word for word. */
const specified =
  "ach = Acholi, alz = Alur, luc = Aringa, teo = Ateso, bfa = Bari, eng = English, adh = Jopadhola, keo = Kakwa, " +
  "kdj = Karamojong, kin = Kinyarwanda, kdi = Kumam, kpz = Kupsabiny, rwm = Kwamba, laj = Lango, tlj = Lubwisi, " +
  "lug = Luganda, lgg = Lugbara, rub = Lugungu, gwr = Lugwere, myx = Lumasaba, nuj = Lunyole, xog = Lusoga, " +
  "mhi = Ma'di, pok = Pokot, cgg = Rukiga, koo = Rukonjo, nyn = Runyankole, nyo = Runyoro, ruc = Ruruuli, " +
  "ttj = Rutooro, lsm = Samia, swa = Swahili";

const codesOf = (list: typeof languages) => list.map(({ code }) => code);

describe("the languages", () => {
  it("are 32 for translation and 51 for transcription", () => {
    expect(translationLanguages).toHaveLength(32);
    expect(transcriptionLanguages).toHaveLength(51);
  });

  it("of translation are those of the specification, by its names", () => {
    const listed = translationLanguages.map(({ code, name }) => `${code} = ${name}`);
    expect(listed.toSorted()).toEqual(specified.split(", ").toSorted());
  });

  it.each([
    ["lg", "lug"],
    ["sw", "swa"],
    ["rw", "kin"],
    ["en", "eng"],
    ["swh", "swa"],
    ["pko", "pok"],
    ["Runyankore", "nyn"],
    ["dhopadhola", "adh"],
    [" MADI ", "mhi"],
    ["Ma\u2019di", "mhi"],
    ["lg-UG", "lug"],
    ["lug-Latn-UG", "lug"],
    ["sw_KE", "swa"],
    ["EN-us", "eng"],
  ])("of translation are also found as %j", (name, code) => {
    expect(findLanguage(name, "translation")?.code).toBe(code);
  });

  it.each(["fra", "afr", "", "lu", "French", "fr-CA", "lg-", "Luganda-UG"])(
    "of translation are none that is called %j",
    (name) => {
      expect(findLanguage(name, "translation")).toBeUndefined();
    },
  );

  it("include the ten whose transcription the specification names", () => {
    expect(codesOf(transcriptionLanguages)).toEqual(
      expect.arrayContaining(["ach", "teo", "eng", "lug", "lgg", "nyn", "swa", "kin", "xog", "myx"]),
    );
  });

  it("are each found by all of their names, which no other has", () => {
    for (const entry of languages) {
      for (const name of [entry.code, entry.name, ...entry.aliases]) expect(findLanguage(name)).toBe(entry);
    }
  });

  it("have codes of their own, in order", () => {
    expect(codesOf(languages)).toEqual([...new Set(codesOf(languages))].toSorted());
    expect(codesOf(languages).every((code) => /^[a-z]{3}$/.test(code))).toBe(true);
  });
});
