import { describe, expect, it } from "vitest";
import { type DocumentFormat, documentFormats } from "../../../shared/documents/document-formats.ts";
import { openDocument } from "../../../shared/documents/document-tools.ts";
import type { TranslatePassage } from "../../../shared/documents/segments/translate-segments.ts";
import { documentOf } from "../../support/large-documents.ts";

const swapTags: TranslatePassage = async (text) =>
  text.replaceAll(/<[12]\/>/g, (tag) => (tag === "<1/>" ? "<2/>" : "<1/>"));

/** What a model may do instead of a translation, and the reasons that a document names. */
const hostileModels: readonly (readonly [string, TranslatePassage, string])[] = [
  ["says nothing", async () => " ", "empty"],
  ["is cut short", async () => ({ untranslated: "cut" }), "cut"],
  ["refuses", async () => ({ untranslated: "refused" }), "refused"],
  ["is filtered", async () => ({ untranslated: "filtered" }), "filtered"],
  ["repeats the text", async () => ({ untranslated: "unchanged" }), "unchanged"],
  ["announces and translates nothing", async () => "Here is the translation of your text:", "markup_lost"],
  ["loses placeholders", async (text) => text.replaceAll(/<[^>]*>/g, ""), "markup_lost"],
  ["swaps placeholders without numbers", swapTags, "order_changed"],
  ["explains in lines", async (text) => `${text}\nThat means so.`, "lines_changed"],
];

const letters = "abcdefghij";

/** Ten passages, each with two placeholders. */
const source = (format: DocumentFormat): Uint8Array =>
  documentOf(
    format,
    Array.from(letters, (letter) => `Village ${letter.repeat(4)} has %s children and %d cows`),
  );

/** Translates a document with a model that is hostile to the first passages. */
const translated = async (format: DocumentFormat, hostile: TranslatePassage, count: number) => {
  const document = openDocument(source(format), format);
  const results = [];
  for (const index of document.passages.keys()) {
    const model: TranslatePassage = index < count ? hostile : async (text) => text.toUpperCase();
    results.push(await document.translatePassage(index, model));
  }
  return document.write(results);
};

const seenIn = async (bytes: Uint8Array, format: DocumentFormat): Promise<string[]> => {
  const document = openDocument(bytes, format, { retranslate: true });
  const seen: string[] = [];
  for (const index of document.passages.keys()) {
    await document.translatePassage(index, async (text) => {
      seen.push(text);
      return text;
    });
  }
  return seen;
};

/** Their sources stay, and their translations are elsewhere. */
const isBilingual = (format: DocumentFormat): boolean => format === "po" || format === "xliff";

describe.each(documentFormats)("A document in %s", (format) => {
  it.each(hostileModels)(
    "is complete when a model %s for half of it, and names that",
    async (_what, model, reason) => {
      const { bytes, untranslated, isUntranslated } = await translated(format, model, 5);
      expect(isUntranslated).toBe(false);
      expect(untranslated).toEqual([0, 1, 2, 3, 4].map((index) => ({ index, reason })));
      const before = await seenIn(source(format), format);
      expect(before).toHaveLength(10);
      expect(await seenIn(bytes, format)).toEqual(
        isBilingual(format) ? before : before.map((text, index) => (index < 5 ? text : text.toUpperCase())),
      );
    },
  );

  it.each(hostileModels)(
    "has failed when a model %s for more than half of it, and has the rest",
    async (_what, model, reason) => {
      const { bytes, untranslated, isUntranslated } = await translated(format, model, 6);
      expect(isUntranslated).toBe(true);
      expect(untranslated).toEqual([0, 1, 2, 3, 4, 5].map((index) => ({ index, reason })));
      expect(bytes).not.toEqual(source(format));
    },
  );
});
