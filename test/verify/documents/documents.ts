import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import * as z from "zod";
import {
  type DocumentFormat,
  documentFormats,
  endingsOf,
} from "../../../shared/documents/document-formats.ts";
import { openDocument } from "../../../shared/documents/document-tools.ts";
import type { PassageResult } from "../../../shared/documents/segments/shared-beginning.ts";
import { withTemporaryDirectory } from "../../infra/synthesized-service.ts";
import { generatedFormats } from "../../support/generated-documents.ts";
import { swapCase } from "../../support/swap-case.ts";
import { type Part, ToolMissing, type Verdict, verdictOf } from "../run-parts.ts";
import { pythonEnvironment, runToEnd } from "../tools.ts";

const python = pythonEnvironment("documents", join(import.meta.dirname, "requirements.txt"));
const fixtures = join(import.meta.dirname, "../../fixtures/documents");

const generatedCount = 100;
const seed = 20_261_129;
const languages = { source: ["en", "eng"], target: "lg" } as const;

/** What a model makes of a passage: other words only, or also what formats give a meaning and what they cannot contain. */
const models: Readonly<Record<string, (text: string) => string>> = {
  same: swapCase,
  more: (text) => `# - ${text}: Ŋa\f & <so> "it's" 100% {x} \\n \\ | * --> ]]> \uFFFE\u0000`,
};

interface Document {
  readonly name: string;
  readonly format: DocumentFormat;
  readonly bytes: Uint8Array;
}

const filesOf = (format: DocumentFormat): Document[] =>
  readdirSync(join(fixtures, format))
    .filter((file) => file !== "sees.json")
    .map((file) => ({
      name: `${format}/${file}`,
      format,
      bytes: readFileSync(join(fixtures, format, file)),
    }));

const generated = (): Document[] =>
  generatedFormats.flatMap(({ format, documents }) =>
    fc
      .sample(documents, { numRuns: generatedCount, seed })
      .map((bytes, index) => ({ name: `generated ${format} ${index}`, format, bytes })),
  );

const translated = async (
  { bytes, format }: Document,
  model: (text: string) => string,
): Promise<Uint8Array> => {
  const document = openDocument(bytes, format, { languages });
  const results: PassageResult[] = [];
  for (const index of document.passages.keys())
    results.push(await document.translatePassage(index, async (text) => model(text)));
  return document.write(results).bytes;
};

const reply = z.object({ opened: z.record(z.string(), z.int()), findings: z.array(z.string()) });

/** Writes each document with its translations, and a list of them. */
const writePairs = async (directory: string, documents: readonly Document[]): Promise<string> => {
  const pairs: object[] = [];
  for (const [index, document] of documents.entries()) {
    const { format, name, bytes } = document;
    const path = (what: string): string => join(directory, `${index}.${what}.${endingsOf(format)[0]}`);
    await writeFile(path("before"), bytes);
    for (const [model, translate] of Object.entries(models)) {
      await writeFile(path(model), await translated(document, translate));
      pairs.push({
        format,
        name: `${name}, ${model} words`,
        before: path("before"),
        after: path(model),
        is_same: model === "same",
      });
    }
  }
  const manifest = join(directory, "pairs.json");
  await writeFile(manifest, JSON.stringify(pairs));
  return manifest;
};

/** Each format must be opened this often, so that a reader which opens nothing is noticed. */
const minOpened = 100;

/** Translated documents, next to what other programs read in the original. */
export const documentsPart: Part = {
  name: "Documents, opened by other programs",
  paths: ["shared/documents", "test/fixtures/documents", "test/support/generated-documents.ts"],
  run: async () => {
    const program = await python.tool("python");
    const hasGettext = await runToEnd("msgfmt", ["--version"]).then(
      ({ code }) => code === 0,
      () => false,
    );
    if (!hasGettext) throw new ToolMissing("gettext is not installed");
    return withTemporaryDirectory(async (directory): Promise<Verdict> => {
      const folder = join(directory, "documents");
      await mkdir(folder);
      const documents = [...documentFormats.flatMap(filesOf), ...generated()];
      const manifest = await writePairs(folder, documents);
      const reader = join(import.meta.dirname, "read-documents.py");
      const { code, output } = await runToEnd(program, ["-W", "ignore", reader, manifest]);
      if (code !== 0) return { kind: "failed", findings: [output.slice(-1_000)] };
      const { opened, findings } = reply.parse(JSON.parse(output.trim().split("\n").at(-1) ?? ""));
      const rarely = documentFormats
        .filter((format) => (opened[format] ?? 0) < minOpened)
        .map((format) => `${format}: only ${opened[format] ?? 0} documents could be opened`);
      const versions = await Promise.all(
        ["python-docx", "openpyxl", "translate-toolkit"].map(python.version),
      );
      const said = `${2 * documents.length} translations are what they were in ${documentFormats.length} formats for ${versions.join(", ")} and others`;
      return verdictOf([...rarely, ...findings.slice(0, 40)], said);
    });
  },
};
