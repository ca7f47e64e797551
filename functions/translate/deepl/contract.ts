import * as z from "zod";
import { defineOperation } from "../../../shared/http/operation.ts";
import {
  optionalField,
  text,
  unknownMembers,
  unsupported,
} from "../../../shared/platform/validation/fields.ts";
import { batchBytes } from "../contract-limits.ts";
import { flag, flagType, lenientObject, oneOrMoreTexts, shownAs, textsLimit } from "../dialect-fields.ts";

const tag = "DeepL and LibreTranslate clients";
const ofAccount = { tag, auth: "user", scope: "translate", limit: "account" } as const;

const languageText = "in any case: `LUG`, `lg`, `EN-GB`. English, British and American, is one language";

/** Names of elements, as a list or separated by commas. */
const tagNames = z
  .union([z.string(), z.array(z.string())])
  .transform((names) => [names].flat().flatMap((name) => name.split(",")))
  .transform((names) => names.map((name) => name.trim()).filter((name) => name !== ""))
  .optional();

const tagNamesType = { type: "string" } as const;

const refused = (sentence: string) =>
  z
    .string()
    .max(0, unsupported(sentence))
    .nullish()
    .meta({ override: { type: "string" }, description: sentence });

/** Every parameter has an effect, agrees with what the service does anyway, or is refused with 400 and its name. */
const deeplTranslateMembers = z
  .strictObject(
    {
      text: oneOrMoreTexts.meta({
        override: { type: "array", items: { type: "string" } },
        example: ["How are you?", "Good morning"],
        description: `The texts. ${textsLimit()}`,
      }),
      source_lang: optionalField(text().max(100)).meta({
        override: { type: "string" },
        example: "EN",
        description: `The language of the texts, ${languageText}. Without it, the model infers it`,
      }),
      target_lang: text()
        .max(100)
        .meta({
          example: "LUG",
          description: `The language to translate into, ${languageText}`,
        }),
      context: optionalField(text().max(5_000)).meta({
        override: { type: "string" },
        description:
          "Text that helps the model to understand the texts. It is not translated and not counted",
      }),
      tag_handling: optionalField(
        z.enum(["html", "xml"], unsupported("Supported values of `tag_handling`: `html`, `xml`.")),
      ).meta({
        override: { type: "string", enum: ["html", "xml"] },
        description: "The markup in the texts, which stays as it is",
      }),
      tag_handling_version: optionalField(z.enum(["v1", "v2"])).meta({
        override: { type: "string", enum: ["v1", "v2"] },
        description: "Both mean the one reader of tags",
      }),
      ignore_tags: tagNames.meta({
        override: tagNamesType,
        description:
          "With `tag_handling`: elements that stay with all that they contain, separated by commas",
      }),
      splitting_tags: tagNames.meta({
        override: tagNamesType,
        description: "With `tag_handling=xml`: elements that begin and end a sentence, separated by commas",
      }),
      non_splitting_tags: tagNames.meta({
        override: tagNamesType,
        description: "With `tag_handling=xml`: elements that never do, separated by commas",
      }),
      outline_detection: flag().meta({
        override: flagType,
        description: "With `tag_handling=xml`: `false` lets only `splitting_tags` begin and end sentences",
      }),
      split_sentences: z
        .union([z.literal([0, 1]), z.string()])
        .transform(String)
        .pipe(
          z.enum(
            ["0", "1", "nonewlines"],
            unsupported("Supported values of `split_sentences`: `0`, `1`, `nonewlines`."),
          ),
        )
        .default("1")
        .meta({
          override: shownAs({ type: "string", enum: ["0", "1", "nonewlines"], default: "1" }),
          description:
            "For texts without tags: `1` keeps the number of lines, `0` leaves lines to the model, `nonewlines` reads the end of a line as a space",
        }),
      preserve_formatting: flag().meta({
        override: flagType,
        description: "Both values mean the same: the service corrects no formatting",
      }),
      formality: optionalField(
        z.enum(
          ["default", "prefer_more", "prefer_less"],
          unsupported(
            "The models have no levels of formality: send `default`, `prefer_more` or `prefer_less`, or leave `formality` out.",
          ),
        ),
      ).meta({
        override: { type: "string", enum: ["default", "prefer_more", "prefer_less"] },
        description: "The models have no levels of formality, so `more` and `less` return 400",
      }),
      glossary_id: refused("Glossaries are not supported."),
      show_billed_characters: flag().meta({
        override: flagType,
        description: "Whether each translation has `billed_characters`",
      }),
      model_type: optionalField(
        z.enum(["quality_optimized", "latency_optimized", "prefer_quality_optimized"]),
      ).meta({
        override: {
          type: "string",
          enum: ["quality_optimized", "latency_optimized", "prefer_quality_optimized"],
        },
        description: "All values mean the one model",
      }),
    },
    unknownMembers,
  )
  .meta({ id: "DeeplTranslateRequest" });

/** The request as clients send it: with `null` for what they leave out, and members that request nothing. */
export const deeplTranslateRequest = lenientObject(deeplTranslateMembers);
export type DeeplTranslateRequest = z.output<typeof deeplTranslateRequest>;

export const deeplTranslateResponse = z
  .object({
    translations: z
      .array(
        z
          .object({
            detected_source_language: z.string().meta({
              example: "EN",
              description: `The language of the text: as the request names it, or as the text shows it; \`UND\` when the service is not sure`,
            }),
            text: z.string().meta({ example: "Oli otya?", description: "The translation" }),
            billed_characters: z.int().optional().meta({
              example: 12,
              description:
                "What counts on the month's characters, without tags; 0 for a text that is equal to an earlier one",
            }),
            model_type_used: z.string().optional().meta({
              example: "quality_optimized",
              description: "With `model_type`: the value without `prefer_`",
            }),
          })
          .meta({ id: "DeeplTranslation" }),
      )
      .describe("One for each text, in their order"),
  })
  .meta({ id: "DeeplTranslateResponse" });
export type DeeplTranslateResponse = z.input<typeof deeplTranslateResponse>;

export const deeplTranslateOperation = defineOperation({
  id: "deeplTranslate",
  method: "POST",
  path: "/deepl/v2/translate",
  summary: "Translate texts, for clients of DeepL",
  description:
    "Clients of DeepL work unchanged with `/deepl` as the address of the server and a token or key in `Authorization: DeepL-Auth-Key`. " +
    "The request counts as one, and its characters on the month's. When one text fails, the request fails and no characters are counted. " +
    "A used-up quota returns 456. An unsupported parameter returns 400 with its name in the message.",
  tag,
  auth: "user",
  scope: "translate",
  body: { encoding: "json-or-form", schema: deeplTranslateRequest, maxBytes: batchBytes },
  response: {
    status: 200,
    description: "The translations",
    schema: deeplTranslateResponse,
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
    "unreadable_document",
    "payload_too_large",
    "context_length_exceeded",
    "content_policy_violation",
    "external_service_error",
    "service_unavailable",
  ],
});

const languageType = z.enum(["source", "target"]).default("source").meta({
  example: "target",
  description: "The languages to translate from, or into",
});

const deeplLanguages = z
  .array(
    z
      .object({
        language: z.string().meta({
          example: "LG",
          description: "ISO 639-1 where there is a code, and ISO 639-3 as well",
        }),
        name: z.string().meta({ example: "Luganda", description: "The English name" }),
        supports_formality: z
          .literal(false)
          .optional()
          .describe("Of languages to translate into: no model has levels of formality"),
      })
      .meta({ id: "DeeplLanguage" }),
  )
  .meta({ id: "DeeplLanguages" });
export type DeeplLanguages = z.input<typeof deeplLanguages>;

const languagesResponse = { status: 200, description: "The languages", schema: deeplLanguages } as const;

export const deeplLanguagesOperation = defineOperation({
  ...ofAccount,
  id: "deeplLanguages",
  method: "GET",
  path: "/deepl/v2/languages",
  summary: "List the languages, for clients of DeepL",
  query: z.object({ type: languageType }),
  response: languagesResponse,
  errors: [],
});

export const deeplPostLanguagesOperation = defineOperation({
  ...ofAccount,
  id: "deeplPostLanguages",
  method: "POST",
  path: "/deepl/v2/languages",
  summary: "List the languages, for clients of DeepL that use POST",
  body: {
    encoding: "json-or-form",
    schema: lenientObject(z.object({ type: languageType }).meta({ id: "DeeplLanguageKind" })).default({
      type: "source",
    }),
  },
  response: languagesResponse,
  errors: [],
});

export const deeplUsageOperation = defineOperation({
  ...ofAccount,
  id: "deeplUsage",
  method: "GET",
  path: "/deepl/v2/usage",
  summary: "Get the month's characters, for clients of DeepL",
  response: {
    status: 200,
    description: "The characters of this month",
    schema: z
      .object({
        character_count: z
          .int()
          .meta({ example: 12_400, description: "The characters that were translated" }),
        character_limit: z.int().meta({
          example: 500_000,
          description: "The allowance; 1,000,000,000,000 for accounts without a limit",
        }),
      })
      .meta({ id: "DeeplUsage" }),
  },
  errors: [],
});
