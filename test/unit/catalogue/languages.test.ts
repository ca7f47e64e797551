import { describe, expect, it } from "vitest";
import {
  languages,
  transcriptionLanguages,
  translationLanguages,
} from "../../../shared/catalogue/languages.ts";

const codesOf = (list: typeof languages) => list.map(({ code }) => code);

describe("the languages", () => {
  it("are 32 for translation and 51 for transcription", () => {
    expect(translationLanguages).toHaveLength(32);
    expect(transcriptionLanguages).toHaveLength(51);
  });

  it("include the ten whose transcription the specification names", () => {
    expect(codesOf(transcriptionLanguages)).toEqual(
      expect.arrayContaining(["ach", "teo", "eng", "lug", "lgg", "nyn", "swa", "kin", "xog", "myx"]),
    );
  });

  it("have codes of their own, in order", () => {
    expect(codesOf(languages)).toEqual([...new Set(codesOf(languages))].toSorted());
    expect(codesOf(languages).every((code) => /^[a-z]{3}$/.test(code))).toBe(true);
  });
});
