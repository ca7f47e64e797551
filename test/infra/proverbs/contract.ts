import * as z from "zod";
import { defineFunction } from "../../../shared/http/function-definition.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { accountRequestEnvironment } from "../../../shared/platform/config/environment.ts";
import { text } from "../../../shared/platform/validation/fields.ts";

export const findProverbOperation = defineOperation({
  id: "findProverb",
  method: "POST",
  path: "/tasks/proverbs",
  summary: "Find a proverb",
  tag: "Service",
  auth: "user",
  scope: "language",
  body: {
    encoding: "json",
    schema: z
      .object({ word: text().min(1).max(50).meta({ example: "amazzi", description: "A word of it" }) })
      .meta({ id: "ProverbRequest" }),
  },
  response: {
    status: 200,
    description: "The proverb",
    schema: z.object({
      proverb: z.string().meta({ example: "Amazzi tegawunya.", description: "In Luganda" }),
    }),
  },
  errors: ["not_found"],
});

export const proverbsFunction = defineFunction({
  name: "proverbs",
  description: "Proverbs that contain a word",
  operations: [findProverbOperation],
  environment: accountRequestEnvironment,
  memoryMegabytes: 256,
  timeoutSeconds: 10,
  transfer: "buffered",
});
