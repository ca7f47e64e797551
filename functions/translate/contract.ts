import * as z from "zod";
import { untranslatedSegment } from "../../shared/documents/segments/untranslated-segment.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { tokenUsage } from "../../shared/models/inference/chat.ts";
import {
  detectedSource,
  languageForms,
  translationLanguages,
} from "../../shared/platform/catalogue/languages.ts";
import { text } from "../../shared/platform/validation/fields.ts";
import { batchBytes, maxTextCharacters, maxTexts } from "./contract-limits.ts";
import { textFormats } from "./prepare-text.ts";

const language = text().max(100).meta({ example: "lug", description: languageForms });

const sourceLanguage = language.nullish().meta({
  example: "eng",
  description: `${languageForms}; when absent, or \`auto\`, the model infers it from the text`,
});

const translatedText = text()
  .trim()
  .min(1)
  .max(maxTextCharacters)
  .meta({ example: "How are you?", description: "The text to translate" });

const format = z.enum(textFormats).meta({
  description:
    "What the text is written in, by default `text`. With `html` and `markdown` its markup, code, links and placeholders such as `{name}` and `%s` " +
    'come back unchanged, and so does what is marked with `translate="no"` or `class="notranslate"`',
});

export const translateRequest = z
  .object({
    source_language: sourceLanguage,
    target_language: language,
    text: translatedText,
    format: format.optional(),
  })
  .meta({ id: "TranslateRequest" });
export type TranslateRequest = z.output<typeof translateRequest>;

const untranslatedSegments = z.array(untranslatedSegment).meta({
  example: [],
  description: "The segments that stayed in their own language, and why. Absent for `text`",
});

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
        source_language: z
          .string()
          .nullish()
          .meta({
            example: "eng",
            description: `The code of the source language. ${detectedSource}`,
          }),
        target_language: z
          .string()
          .nullish()
          .meta({ example: "lug", description: "The code of the target language" }),
        segments_kept: untranslatedSegments.optional(),
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
  summary: `Translate a text between two of the ${translationLanguages.length} languages`,
  tag: "Translation",
  auth: "user",
  scope: "translate",
  body: { encoding: "json", schema: translateRequest },
  response: { status: 200, description: "The translation", schema: translateResponse },
  errors: [
    "unsupported_language",
    "same_language",
    "context_length_exceeded",
    "content_policy_violation",
    "external_service_error",
    "service_unavailable",
  ],
});

const batchItem = z
  .object({
    text: translatedText,
    source_language: sourceLanguage.meta({ description: "In place of the request's `source_language`" }),
    target_language: language.nullish().meta({ description: "In place of the request's `target_language`" }),
  })
  .meta({ id: "TranslateBatchItem" });

export const translateBatchRequest = z
  .object({
    items: z
      .array(batchItem)
      .min(1)
      .max(maxTexts)
      .meta({ description: "The texts to translate. Equal ones are translated once" }),
    source_language: sourceLanguage,
    target_language: language.nullish().meta({
      example: "lug",
      description: `The target language of items without one: ${languageForms}`,
    }),
    format: format.optional(),
  })
  .meta({ id: "TranslateBatchRequest" });
export type TranslateBatchRequest = z.output<typeof translateBatchRequest>;

export const translateBatchResponse = z
  .object({
    results: z
      .array(
        z
          .object({
            index: z
              .int()
              .meta({ example: 0, description: "The position of the item in the request, from 0" }),
            status: z
              .enum(["COMPLETED", "FAILED"])
              .meta({ example: "COMPLETED", description: "Whether the item was translated" }),
            translated_text: z
              .string()
              .nullable()
              .meta({ example: "Oli otya?", description: "The translation; null when the item failed" }),
            source_language: z
              .string()
              .nullable()
              .meta({
                example: "eng",
                description: `The code of the source language. ${detectedSource}`,
              }),
            target_language: z
              .string()
              .meta({ example: "lug", description: "The code of the target language" }),
            segments_kept: untranslatedSegments.optional(),
            error_code: z
              .string()
              .nullable()
              .meta({ example: null, description: "Why the item failed: a code of the table of errors" }),
            error_detail: z
              .string()
              .nullable()
              .meta({ example: null, description: "The same in a sentence" }),
          })
          .meta({ id: "TranslateBatchResult" }),
      )
      .meta({ description: "One for each item, in their order" }),
    usage: z
      .object({
        characters: z.int().meta({
          example: 12,
          description:
            "What counts on the month's characters: texts that were translated, without markup, each distinct one once",
        }),
        characters_remaining: z
          .int()
          .nullable()
          .meta({ example: 499_988, description: "What remains of the month's; null without a limit" }),
      })
      .meta({ id: "TranslateBatchUsage", description: "What the request counts as" }),
  })
  .meta({ id: "TranslateBatchResponse" });
export type TranslateBatchResponse = z.input<typeof translateBatchResponse>;

export const translateBatchOperation = defineOperation({
  id: "translateBatch",
  method: "POST",
  path: "/tasks/translate/batch",
  summary: "Translate up to 50 texts in one request",
  description:
    "Each text may have 5,000 characters, and the request 128 kB. It counts as one request, and its characters on the month's, which " +
    "`GET /auth/usage` shows. A wrong language refuses the whole request; if the model fails at a text, only its item fails. The " +
    "request fails only when all items fail.",
  tag: "Translation",
  auth: "user",
  scope: "translate",
  body: { encoding: "json", schema: translateBatchRequest, maxBytes: batchBytes },
  response: {
    status: 200,
    description: "The result of each item",
    schema: translateBatchResponse,
    headers: [
      "x-ratelimit-limit-characters",
      "x-ratelimit-remaining-characters",
      "x-ratelimit-reset-characters",
    ],
  },
  errors: [
    "unsupported_language",
    "same_language",
    "payload_too_large",
    "context_length_exceeded",
    "content_policy_violation",
    "external_service_error",
    "service_unavailable",
  ],
});
