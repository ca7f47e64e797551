import { describe, expect, it } from "vitest";
import { classify } from "../../../shared/language-id/identification.ts";

describe("whether an identification is good enough to be told", () => {
  it("is told when the model is sure of one of the six languages", () => {
    expect(classify({ language: "lug", confidence: 0.95, other: 0.1 })).toBe("lug");
  });

  it("is withheld when two of the six are about as probable", () => {
    expect(classify({ language: "lug", confidence: 0.55, other: 0.1 })).toBeUndefined();
  });

  it("is withheld when another language is more probable than all six", () => {
    expect(classify({ language: "lug", confidence: 0.99, other: 0.7 })).toBeUndefined();
  });
});
