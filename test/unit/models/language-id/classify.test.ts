import { describe, expect, it } from "vitest";
import { classify } from "../../../../shared/models/language-id/identification.ts";

describe("whether an identification is reliable enough to return", () => {
  it("is returned when the model is sure of one of the six languages", () => {
    expect(classify({ language: "lug", confidence: 0.95, other: 0.1 })).toBe("lug");
  });

  it("needs a confidence of at least 0.8, and another language to be less probable than a half", () => {
    expect(classify({ language: "teo", confidence: 0.8, other: 0.499 })).toBe("teo");
    expect(classify({ language: "teo", confidence: 0.799, other: 0.1 })).toBeUndefined();
    expect(classify({ language: "teo", confidence: 0.9, other: 0.5 })).toBeUndefined();
  });

  it("is withheld when two of the six are about as probable", () => {
    expect(classify({ language: "lug", confidence: 0.55, other: 0.1 })).toBeUndefined();
  });

  it("is withheld when another language is more probable than all six", () => {
    expect(classify({ language: "lug", confidence: 0.99, other: 0.7 })).toBeUndefined();
  });
});
