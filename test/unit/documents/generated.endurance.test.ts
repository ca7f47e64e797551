import * as fc from "fast-check";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { DocumentFormat } from "../../../shared/documents/document-formats.ts";
import { openDocument } from "../../../shared/documents/document-tools.ts";
import type {
  PassageResult,
  TranslatePassage,
} from "../../../shared/documents/segments/translate-segments.ts";
import { endurance } from "../../support/endurance.ts";
import { generatedFormats } from "../../support/generated-documents.ts";
import "../../support/property-seed.ts";

const numRuns = endurance(40, 10_000);

const translateAll = async (bytes: Uint8Array, format: DocumentFormat, translate: TranslatePassage) => {
  const document = openDocument(bytes, format);
  const results: PassageResult[] = [];
  for (const index of document.passages.keys()) {
    results.push(await document.translatePassage(index, translate));
  }
  return { ...document.write(results), results, passages: document.passages };
};

const repeat: TranslatePassage = async (text) => text;

/** Tags have no letters, so swapping two of them can be undone. */
const swapLetters: TranslatePassage = async (text) =>
  text.replaceAll(/[eo]/g, (letter) => (letter === "e" ? "o" : "e"));

const hostileModels: Readonly<Record<string, TranslatePassage>> = {
  shouts: async (text) => text.toUpperCase(),
  "loses tags": async (text) => text.replaceAll(/<[^>]*>/g, ""),
  "doubles tags": async (text) => text.replaceAll(/<[^>]*>/g, "$&$&"),
  "turns tags around": async (text) =>
    text
      .split(/(<[^>]*>)/)
      .toReversed()
      .join(""),
  "doubles lines": async (text) => `${text}\n${text}`,
  explains: async (text) =>
    `Here is the translation: "${text}". <b>Note</b> that & {this} *is* [it](x) | # 1. - \\ "`,
  "begins with markup": async (text) => `# 1. - > ${text} -->`,
  "says nothing": async () => "",
};

const textOf = (bytes: Uint8Array, format: DocumentFormat): string =>
  format === "docx"
    ? Object.entries(unzipSync(bytes))
        .map(([name, content]) => `${name}\n${strFromU8(content, true)}`)
        .join("\n")
    : Buffer.from(bytes).toString("utf8");

/** Runs of a DOCX file that look the same may become one, so only what is shown returns. */
const shownOf = (bytes: Uint8Array, format: DocumentFormat): string =>
  format === "docx"
    ? textOf(bytes, format).replaceAll(/<w:rPr>.*?<\/w:rPr>|<\/?w:[rt]\b[^>]*>/g, "")
    : textOf(bytes, format);

describe.each(generatedFormats)("a document in $format", ({ format, documents, structureOf, outside }) => {
  it("is the same bytes outside its translations when the model repeats", async () => {
    await fc.assert(
      fc.asyncProperty(documents, async (source) => {
        const { bytes, untranslated } = await translateAll(source, format, repeat);
        const seen = outside ?? ((document: Uint8Array) => textOf(document, format));
        expect(seen(bytes)).toBe(seen(source));
        expect(untranslated).toEqual([]);
      }),
      { numRuns },
    );
  });

  it("has been translated, and returns when the translation is undone", async () => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(documents, async (source) => {
        const there = await translateAll(source, format, swapLetters);
        expect(there.untranslated).toEqual([]);
        if (textOf(there.bytes, format) !== textOf(source, format)) changed += 1;
        if (outside) return;
        const back = await translateAll(there.bytes, format, swapLetters);
        expect(shownOf(back.bytes, format)).toBe(shownOf(source, format));
      }),
      { numRuns },
    );
    expect(changed).toBeGreaterThan(numRuns / 4);
  });

  it.each(Object.entries(hostileModels))(
    "keeps its structure when the model %s",
    async (_what, translate) => {
      await fc.assert(
        fc.asyncProperty(documents, async (source) => {
          const { bytes, untranslated, results } = await translateAll(source, format, translate);
          expect(structureOf(bytes)).toBe(structureOf(source));
          const isNamed = results.every((result) => "response" in result) || untranslated.length > 0;
          expect(isNamed, "a lost passage is named").toBe(true);
        }),
        { numRuns: Math.ceil(numRuns / 8) },
      );
    },
  );
});
