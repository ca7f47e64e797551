import { heapOptions } from "@language-ai/aws-stand-ins";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { jobWorkerFunction } from "../../functions/job-worker/contract.ts";
import { jobsFunction } from "../../functions/jobs/definition.ts";
import { type DocumentFormat, documentFormats } from "../../shared/documents/document-formats.ts";
import { endurance } from "../support/endurance.ts";
import { fillings, forms } from "../support/large-documents.ts";
import { runCommand } from "../support/run-service.ts";

const work = z.object({
  filling: z.string(),
  form: z.enum(forms),
  outcome: z.union([z.string(), z.int()]),
  megabytes: z.int(),
});

/** Lets the function's own code work in a process of its own with the options of Lambda. */
const workInProcess = async (name: string, format: string, memoryMegabytes: number) => {
  const { ended, output } = runCommand("test/integration/large-documents-process.ts", [name, format], {
    LOG_LEVEL: "SILENT",
    NODE_OPTIONS: heapOptions(memoryMegabytes).join(" "),
  });
  expect(await ended, output()).toBe(0);
  return output()
    .trim()
    .split("\n")
    .map((line) => work.parse(JSON.parse(line)));
};

/** The one that does most, and the format that needs most memory, or all of them. */
const functions = endurance([jobWorkerFunction], [jobsFunction, jobWorkerFunction]);
const formats = endurance<readonly DocumentFormat[]>(["text"], documentFormats);

describe.each(functions)("$name", ({ name, memoryMegabytes }) => {
  it.each(formats)(
    "refuses a document in %s that is one endless passage, and has the memory for one of the longest passages",
    { timeout: 300_000 },
    async (format) => {
      const works = await workInProcess(name, format, memoryMegabytes);
      expect(works).toHaveLength(fillings.length * forms.length);
      for (const { filling, form, outcome, megabytes } of works) {
        const what = `${JSON.stringify(filling)} as ${form}`;
        // Blanks at the end of a line of Markdown are in no passage.
        const isRead = form === "passages" || (format === "markdown" && filling === " ");
        if (!isRead) expect(outcome, what).toBe("file_too_large");
        else expect(outcome, what).toBeTypeOf("number");
        expect(megabytes, what).toBeLessThan(memoryMegabytes);
      }
    },
  );
});
