import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createV1ChatCompletionOperation } from "../../../functions/chat/v1/chat-contract.ts";
import { createResponseOperation } from "../../../functions/chat/v1/responses-contract.ts";
import { createV1TranscriptionOperation } from "../../../functions/transcription/v1/contract.ts";

/** The fields of a request in the types of the `openai` package. */
const fieldsOf = async (file: string, name: string): Promise<string[]> => {
  const types = await readFile(
    new URL(`../../../node_modules/openai/resources/${file}.d.ts`, import.meta.url),
    "utf8",
  );
  const start = types.search(new RegExp(`^export interface ${name}\\b`, "m"));
  const body = types.slice(start, types.indexOf("\n}", start));
  return [...body.matchAll(/^ {4}(\w+)\??: /gm)].map(([, field = ""]) => field);
};

const shape = z.object({ shape: z.record(z.string(), z.unknown()) });
const known = (schema: unknown): string[] => Object.keys(shape.parse(schema).shape);

describe("A field of the `openai` package's requests", () => {
  it.each([
    ["chat/completions/completions", "ChatCompletionCreateParamsBase", createV1ChatCompletionOperation],
    ["responses/responses", "ResponseCreateParamsBase", createResponseOperation],
    ["audio/transcriptions", "TranscriptionCreateParamsBase", createV1TranscriptionOperation],
  ])("is taken, has no effect or is refused on purpose: %s", async (file, name, operation) => {
    const fields = await fieldsOf(file, name);
    expect(fields.length).toBeGreaterThan(12);
    expect(known(operation.body?.schema)).toEqual(expect.arrayContaining(fields));
  });
});
