import * as fc from "fast-check";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { DocumentFormat } from "../../../shared/documents/document-formats.ts";
import { openDocument } from "../../../shared/documents/document-tools.ts";
import type { PassageResult } from "../../../shared/documents/segments/shared-beginning.ts";
import type { TranslatePassage } from "../../../shared/documents/segments/translate-segments.ts";
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

const isZipped = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "PK\u0003\u0004";

const textOf = (bytes: Uint8Array): string =>
  isZipped(bytes)
    ? Object.entries(unzipSync(bytes))
        .map(([name, content]) => `${name}\n${strFromU8(content, true)}`)
        .join("\n")
    : Buffer.from(bytes).toString("utf8");

/** Runs of a document of Office that look the same may become one, and its own marks move, so only what is shown returns. */
const shownOf = (bytes: Uint8Array): string =>
  isZipped(bytes)
    ? textOf(bytes).replaceAll(
        /<((?:\w+:)?rPr)\b(?:[^>]*\/>|.*?<\/\1>)|<\/?(?:[wa]:)?[rt](?: [^>]*)?\/?>|<w:(?:proofErr|bookmark\w+ w:id="2")[^>]*>/g,
        "",
      )
    : textOf(bytes);

const mark = Uint8Array.of(0xef, 0xbb, 0xbf);

/** Texts also with a byte order mark. */
const withMark = (bytes: Uint8Array, isMarked: boolean): Uint8Array =>
  isMarked && !isZipped(bytes) ? Buffer.concat([mark, bytes]) : bytes;

describe.each(generatedFormats)("a document in $format", (generated) => {
  const { format, structureOf, outside } = generated;
  const documents = fc
    .tuple(generated.documents, fc.boolean())
    .map(([bytes, isMarked]) => withMark(bytes, isMarked));

  it("is the same bytes outside its translations when the model repeats", async () => {
    await fc.assert(
      fc.asyncProperty(documents, async (source) => {
        const { bytes, untranslated } = await translateAll(source, format, repeat);
        const seen = outside ?? textOf;
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
        if (textOf(there.bytes) !== textOf(source)) changed += 1;
        if (outside) return;
        const back = await translateAll(there.bytes, format, swapLetters);
        expect(shownOf(back.bytes)).toBe(shownOf(source));
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
