// Does what a function does with the largest documents of a format, in a process of its own with the function's heap:
// node large-documents-process.ts <function> <format>
// It prints a line of JSON for each of them.

import { planTranslation } from "../../functions/job-worker/plan-translation.ts";
import { readSource } from "../../functions/jobs/read-source.ts";
import { type DocumentFormat, documentFormats } from "../../shared/documents/document-formats.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { openJobDocument } from "../../shared/recordings/jobs/job-document.ts";
import { fillings, forms, largeDocument } from "../support/large-documents.ts";

/** Reads a document as `jobs` does, or reads, plans and writes it as `job-worker`. @returns the bytes of the translation. */
const works: Readonly<Record<string, (bytes: Uint8Array, format: DocumentFormat) => Promise<number>>> = {
  jobs: async (bytes, format) => {
    const { document } = await readSource(bytes, "", { format });
    return document.write([]).bytes.length;
  },
  "job-worker": async (bytes, format) => {
    const job = { format, target_language: "lug" };
    const document = await openJobDocument({ size: bytes.length, read: async () => bytes }, job);
    const results = [];
    for (const { from, to } of planTranslation(document)) {
      for (let index = from; index < to; index += 1) {
        results.push(await document.translatePassage(index, async (text) => text.toUpperCase()));
      }
    }
    return document.write(results).bytes.length;
  },
};

const [name = "", given] = process.argv.slice(2);
const format = documentFormats.find((known) => known === given);
const work = works[name];
if (!format || !work) throw new Error(`There is no function ${name} or format ${given}.`);

for (const filling of fillings) {
  for (const form of forms) {
    const bytes = largeDocument(format, filling, form);
    const before = process.cpuUsage();
    const outcome = await work(bytes, format).catch((error: unknown) => {
      if (error instanceof AppError) return error.code;
      throw error;
    });
    const { user, system } = process.cpuUsage(before);
    const megabytes = Math.ceil(process.resourceUsage().maxRSS / 1_024);
    const cpuSeconds = (user + system) / 1e6;
    process.stdout.write(`${JSON.stringify({ filling, form, outcome, megabytes, cpuSeconds })}\n`);
  }
}
