import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identifiableLanguages } from "../../../../shared/models/language-id/identification.ts";
import { loadLanguageModel } from "../../../../shared/models/language-id/model.ts";
import { readWeights } from "../../../../shared/models/language-id/weights.ts";

const model = loadLanguageModel(readWeights());

const anyCodePoints = fc.string({ unit: "binary", maxLength: 200 });
const loneSurrogates = fc
  .array(fc.integer({ min: 0xd700, max: 0xe0ff }), { maxLength: 50 })
  .map((units) => String.fromCharCode(...units));
const words = fc
  .array(
    fc.constantFrom(
      "webale",
      "Nnyo",
      "awa'difo",
      "ŋat",
      "dɨ́",
      "Éwá",
      "ß",
      "İ",
      "ﬁ",
      "ʼba",
      "ø̀",
      "42",
      "🙂",
      "ẞ",
    ),
  )
  .map((parts) => parts.join(" "));
const anyText = fc.oneof(anyCodePoints, loneSurrogates, words);

const whitespace = fc
  .array(fc.constantFrom(" ", "\t", "\n", "\r", "\u00a0", "\u2003", "\u3000", "\ufeff"))
  .map((characters) => characters.join(""));

describe("identifying any text", () => {
  it("returns one of the six languages and two probabilities", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { language, confidence, other } = model.identify(text);
        expect(identifiableLanguages).toContain(language);
        expect(confidence).toBeGreaterThanOrEqual(1 / 6 - 1e-9);
        expect(confidence).toBeLessThanOrEqual(1);
        expect(other).toBeGreaterThanOrEqual(0);
        expect(other).toBeLessThanOrEqual(1);
      }),
      { numRuns: 1000 },
    );
  });

  it("returns the same result in any order of calls", () => {
    fc.assert(
      fc.property(anyText, anyText, (text, another) => {
        const first = model.identify(text);
        model.identify(another);
        expect(model.identify(text)).toEqual(first);
      }),
    );
  });

  it("does not depend on capital or small letters", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(model.identify(text.toUpperCase())).toEqual(model.identify(text));
        expect(model.identify(text.toLowerCase())).toEqual(model.identify(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("does not depend on whether accented letters are composed or decomposed", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(model.identify(text.normalize("NFD"))).toEqual(model.identify(text));
        expect(model.identify(text.normalize("NFC"))).toEqual(model.identify(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("does not depend on white space around the text", () => {
    fc.assert(
      fc.property(anyText, whitespace, whitespace, (text, before, after) => {
        expect(model.identify(before + text + after)).toEqual(model.identify(text));
      }),
    );
  });

  it("reads no more than the first 1,000 code points", () => {
    const start = "webale nnyo ssebo 🙂".repeat(100).slice(0, 900);
    const read = Array.from(start + "🙂".repeat(1000))
      .slice(0, 1000)
      .join("");
    expect(model.identify(`${read} thank you very much`.repeat(50))).toEqual(model.identify(read));
  });
});
