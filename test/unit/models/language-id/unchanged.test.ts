import { createHash } from "node:crypto";
import { readPhrases } from "@language-ai/language-id-training";
import { expect, it } from "vitest";
import { loadLanguageModel } from "../../../../shared/models/language-id/model.ts";
import { readWeights } from "../../../../shared/models/language-id/weights.ts";

const digestOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

/**
 * Clients rely on what `POST /tasks/language_id` returns. Training the model again changes these digests on purpose, together
 * with the card; a change of the code that both models share must not.
 */
it("keeps its weights and its results, however other models change", () => {
  const weights = readWeights();
  const model = loadLanguageModel(weights);
  const results = readPhrases().map(({ text }) => {
    const { language, confidence, other } = model.identify(text);
    return [text, language, confidence.toFixed(9), other.toFixed(9)].join("\t");
  });
  expect(digestOf(weights)).toBe("be03ffe68ec5c3f5d4459c8dabe43bb2cbb4baebbc18a7daa87df393c853531d");
  expect(digestOf(results.join("\n"))).toBe(
    "3d570283082db0ad4e193f11e62c06ab59ff788ca5826c6fce8766f9502b172a",
  );
});
