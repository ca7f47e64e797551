import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { tokenUsage } from "../../shared/models/inference/chat.ts";
import { languageForms } from "../../shared/platform/catalogue/languages.ts";
import {
  accountRequestEnvironment,
  translationBackendEnvironment,
} from "../../shared/platform/config/environment.ts";
import { text } from "../../shared/platform/validation/fields.ts";

const language = text().max(100).meta({ example: "lug", description: languageForms });

export const translateRequest = z
  .object({
    source_language: language.nullish().meta({
      example: "eng",
      description: `${languageForms}; when absent, or \`auto\`, the model infers it from the text`,
    }),
    target_language: language,
    text: text()
      .trim()
      .min(1)
      .max(5_000)
      .meta({ example: "How are you?", description: "The text to translate" }),
  })
  .meta({ id: "TranslateRequest" });
export type TranslateRequest = z.infer<typeof translateRequest>;

/** All fields are optional and others may come, as the specification says. */
export const translateResponse = z
  .looseObject({
    id: z.string().nullish().meta({
      example: "trans-0b8e9a4e6b0f4d6c8a52a1c9d1b5a7f3",
      description: "The id of the translation, for reports",
    }),
    status: z
      .string()
      .nullish()
      .meta({ example: "COMPLETED", description: "`COMPLETED`; failures have another status" }),
    output: z
      .looseObject({
        translated_text: z.string().nullish().meta({ example: "Oli otya?", description: "The translation" }),
        text: z.string().nullish().describe("Always null; see `translated_text`"),
        source_language: z.string().nullish().meta({
          example: "eng",
          description: "The code of the source language; null when the model inferred it",
        }),
        target_language: z
          .string()
          .nullish()
          .meta({ example: "lug", description: "The code of the target language" }),
        Error: z.string().nullish().describe("Always null: failures have another status"),
      })
      .meta({ id: "TranslationOutput" })
      .nullish()
      .describe("The translation and its languages"),
    delayTime: z.int().nullish().meta({ description: "Milliseconds in a queue" }),
    executionTime: z.int().nullish().meta({ description: "Milliseconds the model took", example: 412 }),
    workerId: z.string().nullish().describe("Always null; earlier versions named a server here"),
    usage: tokenUsage.nullish().describe("Token counts, as the model's server reports them"),
  })
  .meta({ id: "TranslateResponse" });
export type TranslateResponse = z.infer<typeof translateResponse>;

export const translateOperation = defineOperation({
  id: "translate",
  method: "POST",
  path: "/tasks/translate",
  summary: "Translate a text between two of the 32 languages",
  tag: "Translation",
  auth: "user",
  scope: "translate",
  body: { encoding: "json", schema: translateRequest },
  response: { status: 200, description: "The translation", schema: translateResponse },
  errors: ["unsupported_language", "same_language", "external_service_error", "service_unavailable"],
});

export const translateFunction = defineFunction({
  name: "translate",
  description: "Translation",
  operations: [translateOperation],
  environment: { ...accountRequestEnvironment, ...translationBackendEnvironment },
  memoryMegabytes: 512,
  timeoutSeconds: 150,
  transfer: "stream",
});
