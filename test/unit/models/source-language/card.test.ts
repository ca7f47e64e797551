import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { detectableLanguages } from "../../../../shared/models/source-language/languages.ts";
import { readSparseWeights } from "../../../../shared/models/source-language/weights.ts";
import { translationLanguages } from "../../../../shared/platform/catalogue/languages.ts";

const card = readFileSync(
  new URL("../../../../shared/models/source-language/README.md", import.meta.url),
  "utf8",
);
const rows = card
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) => line.split("|").map((cell) => cell.trim()));
/** The cells of a language in the table of precision: its lines, results, precision, precision in an even mix, … */
const cellsOf = (code: string) =>
  rows.find(([, first, , , precision]) => first === code && precision)?.slice(2) ?? [];

describe("the figures in the card", () => {
  it("were measured with the weights in the repository", () => {
    const digest = createHash("sha256").update(readSparseWeights()).digest("hex");
    expect(card).toContain(`SHA-256 \`${digest}\``);
  });

  it.each(detectableLanguages)("show for %s at least 50 held-out lines and a precision of 95%", (code) => {
    const [lines, results, precision] = cellsOf(code).map(Number);
    expect(lines).toBeGreaterThanOrEqual(50);
    expect(results).toBeGreaterThanOrEqual(50);
    expect(precision).toBeGreaterThanOrEqual(95);
    expect(cellsOf(code)).toContain("detected");
  });

  it("say for each other language of translation that it is null, and which ones are not measured", () => {
    const detectable: readonly string[] = detectableLanguages;
    for (const { code } of translationLanguages.filter((language) => !detectable.includes(language.code))) {
      const cells = cellsOf(code);
      expect(cells).toContain("null");
      if (Number(cells[0]) < 50) expect(cells[1]).toMatch(/^(not measured|no data)$/);
    }
  });

  it("show a mean accuracy of at least 88% at 21 to 50 characters", () => {
    const means = rows.filter(([, first]) => first === "mean").at(0);
    expect(Number(means?.[4])).toBeGreaterThanOrEqual(88);
  });
});
