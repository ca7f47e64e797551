import * as z from "zod";
import { defineOperation } from "../../../shared/http/operation.ts";

const ofAccount = {
  tag: "DeepL and LibreTranslate clients",
  auth: "user",
  scope: "translate",
  limit: "account",
} as const;

export const deeplGlossaryPairsOperation = defineOperation({
  ...ofAccount,
  id: "deeplGlossaryPairs",
  method: "GET",
  path: "/deepl/v2/glossary-language-pairs",
  summary: "List the languages of glossaries, of which there are none, for clients of DeepL",
  response: {
    status: 200,
    description: "An empty list: glossaries are not supported",
    schema: z
      .object({
        supported_languages: z.array(z.never()).max(0).meta({ example: [], description: "Always empty" }),
      })
      .meta({ id: "DeeplGlossaryPairs" }),
  },
  errors: [],
});

const glossaries = {
  ...ofAccount,
  method: "GET",
  response: {
    status: 200,
    description: "An empty list: glossaries are not supported",
    schema: z
      .object({
        glossaries: z.array(z.never()).max(0).meta({ example: [], description: "Always empty" }),
      })
      .meta({ id: "DeeplGlossaries" }),
  },
  errors: [],
} as const;

export const deeplGlossariesOperation = defineOperation({
  ...glossaries,
  id: "deeplGlossaries",
  path: "/deepl/v2/glossaries",
  summary: "List glossaries, of which there are none, for clients of DeepL",
});

export const deeplThirdGlossariesOperation = defineOperation({
  ...glossaries,
  id: "deeplThirdGlossaries",
  path: "/deepl/v3/glossaries",
  summary: "List glossaries, of which there are none, for newer clients of DeepL",
});
