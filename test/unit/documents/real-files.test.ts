import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { detectFormat, documentFormats } from "../../../shared/documents/document-formats.ts";
import { openDocument } from "../../../shared/documents/document-tools.ts";
import { swapCase } from "../../support/swap-case.ts";

const directory = join(import.meta.dirname, "../../fixtures/documents");
const languages = { source: ["en", "eng"], target: "lg" } as const;

const sentences = z.record(z.string(), z.string());

/** Returns what a file contains as a text: of a ZIP file, its texts by their names. */
const shownAs = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, 2)).toString() === "PK"
    ? Object.entries(unzipSync(bytes))
        .map(([name, content]) => `${name}\n${strFromU8(content)}`)
        .join("\n")
    : Buffer.from(bytes).toString(bytes.includes(0) ? "utf16le" : "utf8");

const lines = (text: string): string => text.replaceAll(/\r/g, "\\r");

/** What a model sees of a file, and what comes out; the first line says what a reader should see. */
const describeFile = async (folder: string, file: string, sentence: string): Promise<string> => {
  const bytes = readFileSync(join(directory, folder, file));
  const format = detectFormat(bytes, file);
  if (format !== folder) throw new Error(`${file} is in ${JSON.stringify(format)}, and not in ${folder}.`);
  const document = openDocument(bytes, format, { languages });
  const seen: string[] = [];
  const results = [];
  for (const index of document.passages.keys()) {
    const translate = async (text: string): Promise<string> => {
      seen.push(text);
      return swapCase(text);
    };
    results.push(await document.translatePassage(index, translate));
  }
  const written = document.write(results);
  const staying = written.untranslated.map(({ index, reason }) => `${index} stays: ${reason}`);
  return [
    sentence,
    "",
    ...seen.map((text) => `> ${text}`),
    ...staying,
    "",
    lines(shownAs(written.bytes)),
  ].join("\n");
};

describe.each(documentFormats)("files in %s", (format) => {
  const sees = sentences.parse(JSON.parse(readFileSync(join(directory, format, "sees.json"), "utf8")));

  it("are at least ten, each with what a reader should see", () => {
    const files = readdirSync(join(directory, format)).filter((name) => name !== "sees.json");
    expect(files.toSorted()).toEqual(Object.keys(sees).toSorted());
    expect(files.length).toBeGreaterThanOrEqual(10);
  });

  it.each(Object.entries(sees))("%s: %s", async (file, sentence) => {
    const folder = join(import.meta.dirname, "translated-files", format);
    await expect(await describeFile(format, file, sentence)).toMatchFileSnapshot(
      join(folder, `${file}.snap`),
    );
  });
});
