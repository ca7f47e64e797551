import * as z from "zod";
import { defineOperation } from "../../../shared/http/operation.ts";
import {
  optionalField,
  text,
  unknownMembers,
  unsupported,
} from "../../../shared/platform/validation/fields.ts";
import { batchBytes } from "../contract-limits.ts";
import { lenientObject, oneOrMoreTexts, shownAs, textsLimit } from "../dialect-fields.ts";

const tag = "DeepL and LibreTranslate clients";

export const apiKey = z
  .string()
  .max(4_000)
  .nullish()
  .meta({
    override: { type: "string" },
    example: "TOKEN",
    description: "Your token or key; it may also be in the query, or in `Authorization: Bearer`",
  });

const languageText = "ISO 639-1 or ISO 639-3 code";

const libreTranslateMembers = z
  .strictObject(
    {
      q: oneOrMoreTexts.meta({
        override: {},
        example: "How are you?",
        description: `The text, or a list of texts. ${textsLimit()}`,
      }),
      source: optionalField(text().max(100)).meta({
        override: { type: "string", default: "auto" },
        example: "en",
        description: `The language of the text: ${languageText}, or \`auto\``,
      }),
      target: text()
        .max(100)
        .meta({
          example: "lg",
          description: `The language to translate into: ${languageText}`,
        }),
      format: optionalField(z.enum(["text", "html"], unsupported("Supported formats: `text`, `html`."))).meta(
        {
          override: { type: "string", enum: ["text", "html"], default: "text" },
          description: "With `html`, tags stay as they are",
        },
      ),
      alternatives: z
        .union([z.int(), z.string()])
        .transform(Number)
        .pipe(z.literal(0, unsupported("Alternative translations are not supported: send 0.")))
        .optional()
        .meta({ override: shownAs({ type: "integer", default: 0 }), description: "Only 0 is supported" }),
      api_key: apiKey,
    },
    unknownMembers,
  )
  .meta({ id: "LibreTranslateRequest" });

/** The request as clients send it: with `null` for what they leave out, and members that request nothing. */
export const libreTranslateRequest = lenientObject(libreTranslateMembers);
export type LibreTranslateRequest = z.output<typeof libreTranslateRequest>;

/** Clients of LibreTranslate always expect a language. */
const detectedLanguageText =
  "the language that the text shows, with a confidence of 95 or more; when the service is not sure, the most likely of six";

const detection = z
  .object({
    confidence: z.number().meta({ example: 97, description: "From 0 to 100" }),
    language: z
      .string()
      .meta({ example: "en", description: "ISO 639-1 where there is a code, else ISO 639-3" }),
  })
  .meta({ id: "LibreTranslateDetection" });
export type LibreTranslateDetection = z.input<typeof detection>;

export const libreTranslateResponse = z
  .object({
    translatedText: z.union([z.string(), z.array(z.string())]).meta({
      override: {},
      example: "Oli otya?",
      description: "The translation; a list for a list of texts",
    }),
    detectedLanguage: z
      .union([detection, z.array(detection)])
      .optional()
      .meta({
        override: {},
        example: { confidence: 97, language: "en" },
        description: `With \`source=auto\`: ${detectedLanguageText}; a list for a list of texts`,
      }),
  })
  .meta({ id: "LibreTranslateResponse" });
export type LibreTranslateResponse = z.input<typeof libreTranslateResponse>;

export const libreTranslateOperation = defineOperation({
  id: "libreTranslate",
  method: "POST",
  path: "/libretranslate/translate",
  summary: "Translate texts, for clients of LibreTranslate",
  description:
    "Clients of LibreTranslate work unchanged with `/libretranslate` as the address of the server and a token or key as `api_key`. The " +
    "request counts as one, and its characters on the month's. When one text fails, the request fails and no characters are counted.",
  tag,
  auth: "user",
  scope: "translate",
  body: { encoding: "json-or-form", schema: libreTranslateRequest, maxBytes: batchBytes },
  response: {
    status: 200,
    description: "The translation",
    schema: libreTranslateResponse,
    headers: [
      "x-ratelimit-limit-characters",
      "x-ratelimit-remaining-characters",
      "x-ratelimit-reset-characters",
    ],
  },
  errors: [
    "unsupported_language",
    "same_language",
    "unsupported_parameter",
    "payload_too_large",
    "context_length_exceeded",
    "content_policy_violation",
    "external_service_error",
    "service_unavailable",
  ],
});

export const libreDetectOperation = defineOperation({
  id: "libreDetect",
  method: "POST",
  path: "/libretranslate/detect",
  summary: "Detect the language of a text, for clients of LibreTranslate",
  description: `Returns ${detectedLanguageText}, with its confidence in percent.`,
  tag,
  auth: "user",
  scope: "language",
  body: {
    encoding: "json-or-form",
    schema: lenientObject(
      z
        .strictObject(
          {
            q: text().min(1).max(5_000).meta({ example: "Oli otya, ssebo?", description: "The text" }),
            api_key: apiKey,
          },
          unknownMembers,
        )
        .meta({ id: "LibreTranslateDetectRequest" }),
    ),
  },
  response: {
    status: 200,
    description: "The most likely language",
    schema: z.array(detection).meta({ id: "LibreTranslateDetections" }),
  },
  errors: ["unsupported_parameter"],
});

export const libreLanguagesOperation = defineOperation({
  id: "libreLanguages",
  method: "GET",
  path: "/libretranslate/languages",
  summary: "List the languages, for clients of LibreTranslate",
  tag,
  auth: "public",
  limit: "reading",
  response: {
    status: 200,
    description: "The languages",
    schema: z
      .array(
        z
          .object({
            code: z
              .string()
              .meta({ example: "lg", description: "ISO 639-1 where there is a code, else ISO 639-3" }),
            name: z.string().meta({ example: "Luganda", description: "The English name" }),
            targets: z
              .array(z.string())
              .meta({ example: ["ach", "en"], description: "The codes of the languages to translate into" }),
          })
          .meta({ id: "LibreTranslateLanguage" }),
      )
      .meta({ id: "LibreTranslateLanguages" }),
  },
  errors: [],
});

const named = z.object({
  code: z.string().meta({ example: "lg", description: "Its ISO 639-1 code, or `auto`" }),
  name: z.string().meta({ example: "Luganda", description: "Its English name" }),
});

export const libreSettingsOperation = defineOperation({
  id: "libreSettings",
  method: "GET",
  path: "/libretranslate/frontend/settings",
  summary: "Get the settings of the service, for clients of LibreTranslate",
  tag,
  auth: "public",
  limit: "reading",
  response: {
    status: 200,
    description: "The settings",
    schema: z
      .object({
        apiKeys: z.boolean().meta({ example: true, description: "Whether keys are known" }),
        charLimit: z.int().meta({ example: 5_000, description: "The maximum length of a text" }),
        frontendTimeout: z
          .int()
          .meta({ example: 500, description: "Milliseconds that an editor waits before it sends a text" }),
        keyRequired: z.boolean().meta({ example: true, description: "Whether a key is required" }),
        language: z
          .object({
            source: named.describe("The usual language to translate from"),
            target: named.describe("The usual language to translate into"),
          })
          .describe("The usual languages"),
        suggestions: z
          .boolean()
          .meta({ example: false, description: "Whether translations can be suggested" }),
        supportedFilesFormat: z
          .array(z.string())
          .meta({ example: [".txt", ".docx"], description: "The endings of documents" }),
      })
      .meta({ id: "LibreTranslateSettings" }),
  },
  errors: [],
});
