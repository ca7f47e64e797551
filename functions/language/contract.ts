import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { identifiableLanguages } from "../../shared/models/language-id/identification.ts";
import { accountRequestEnvironment } from "../../shared/platform/config/environment.ts";
import { text } from "../../shared/platform/validation/fields.ts";

const tag = "Language identification";

/** The result of `classify_language` when the model is not sure. */
export const notDetected = "language not detected" as const;

const shortText = z.object({
  text: text().min(3).max(200).meta({ example: "Oli otya, ssebo?", description: "The text to identify" }),
});

export const identifyOperation = defineOperation({
  id: "identifyLanguage",
  method: "POST",
  path: "/tasks/language_id",
  summary: "Identify the language of a text",
  description:
    "Always returns the most likely of six languages; `classify_language` also says when it is not sure.",
  tag,
  auth: "user",
  scope: "language",
  body: { encoding: "json", schema: shortText.meta({ id: "IdentifyLanguageRequest" }) },
  response: {
    status: 200,
    description: "The language's ISO 639-3 code",
    schema: z
      .object({
        language: z.enum(identifiableLanguages).describe("The most likely language; ISO 639-3"),
      })
      .meta({ id: "IdentifiedLanguage" }),
  },
  example: { response: { language: "lug" } },
  errors: [],
});

export const classifyOperation = defineOperation({
  id: "classifyLanguage",
  method: "POST",
  path: "/tasks/classify_language",
  summary: "Detect the language of a text, if possible",
  description: `One of six codes, or \`${notDetected}\` when confidence is low or the text is in another language.`,
  tag,
  auth: "user",
  scope: "language",
  body: { encoding: "json", schema: shortText.meta({ id: "ClassifyLanguageRequest" }) },
  response: {
    status: 200,
    description: "The language's ISO 639-3 code, or that it was not detected",
    schema: z
      .object({
        language: z
          .enum([...identifiableLanguages, notDetected])
          .describe("The language; ISO 639-3. Or that it was not detected"),
      })
      .meta({ id: "ClassifiedLanguage" }),
  },
  example: { response: { language: "lug" } },
  errors: [],
});

export const languageFunction = defineFunction({
  name: "language",
  description: "Language identification with a model inside the function",
  operations: [identifyOperation, classifyOperation],
  environment: accountRequestEnvironment,
  // A third less time to the first response than with 256 MB, for nine cents a million (infra/handbook/measurements.md).
  memoryMegabytes: 512,
  timeoutSeconds: 10,
  transfer: "stream",
});
