import * as z from "zod";
import type { ApiHeaderName } from "../../shared/http/response-headers.ts";
import { chatModelIds, defaultTemperature } from "../../shared/models/inference/chat.ts";
import { text } from "../../shared/platform/validation/fields.ts";

/** What the chat requests of all routes have in common. */

const [defaultModel] = chatModelIds;

/** The documentation of the temperature of chats. */
export const temperatureText = "How much the choice of words varies; 0 always takes the most likely one";

const textPart = z
  .object({
    type: z.literal("text").describe("The only kind of part"),
    text: z.string().describe("A part of the message's text; the parts are joined"),
  })
  .meta({ id: "TextPart" });

/** A text, or text parts as the OpenAI SDKs allow them; becomes one text that is not blank. */
export const textContent = z
  .union([z.string(), z.array(textPart).min(1)], {
    error: "content should be a text or a list of parts of type 'text'",
  })
  .transform((value) => (typeof value === "string" ? value : value.map((part) => part.text).join("")))
  .pipe(text().trim().min(1));

/** By default the model's own limit. */
export const tokenLimit = z.int().min(1).nullish();
export const tokenLimitText = "The maximum number of tokens of the reply; by default the model's own limit";

/** The model, and how it chooses its words. */
export const modelFields = z.object({
  model: z
    .string()
    .nullable()
    .default(defaultModel)
    .transform((model) => model ?? defaultModel)
    .meta({
      example: defaultModel,
      description: `One of ${chatModelIds.map((id) => `\`${id}\``).join(", ")}`,
    }),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullable()
    .default(defaultTemperature)
    .transform((temperature) => temperature ?? defaultTemperature)
    .describe(temperatureText),
  top_p: z.number().gt(0).max(1).nullish().describe("Only the most likely words, with this total share"),
  stream: z.boolean().nullish().meta({ description: "Whether the reply is streamed as server-sent events" }),
});

/** The same for a chat completion, with its limits. */
export const modelAndSampling = z.object({
  ...modelFields.shape,
  max_tokens: tokenLimit.describe(tokenLimitText),
  max_completion_tokens: tokenLimit.describe("Another name for `max_tokens`, which takes precedence"),
  stop: z
    .union([z.string(), z.array(z.string())], { error: "stop should be a text or a list of texts" })
    .nullish()
    .meta({ description: "Texts that end the reply" }),
});

/** Matches a body that requests a stream. */
export const streamsInBody = /"stream"\s*:\s*true/;

/** The documentation of fields that several routes have. */
export const kindText = "The kind of object, as in the OpenAI API";
export const choicesText = "One reply";
export const choiceIndexText = "Always 0: a request has one reply";
export const includeUsageText = "Whether the last chunk of a stream has the token counts, and no choices";

/** Headers of a streamed reply. */
export const streamHeaders = ["Cache-Control", "X-Accel-Buffering"] as const satisfies ApiHeaderName[];

/** The start of a chat completion and of each of its chunks. */
export const completionHead = z.object({
  id: z.string().meta({
    example: "chatcmpl-0b8e9a4e6b0f4d6c8a52a1c9d1b5a7f3",
    description: "The id of the reply, the same in all its chunks",
  }),
  created: z.int().meta({ example: 1_795_339_800, description: "Unix time in seconds" }),
  model: z.enum(chatModelIds).describe("The model that replied"),
});

const chunkHead =
  '{"id":"chatcmpl-0b8e9a4e6b0f4d6c8a52a1c9d1b5a7f3","created":1795339800,"model":"lang-14b","object":"chat.completion.chunk","choices":[{"index":0,';

/** The documentation's example of a streamed chat completion. */
export const exampleStream = [
  '"delta":{"role":"assistant"},"finish_reason":null}],"usage":null}',
  '"delta":{"content":"Apwoyo"},"finish_reason":null}],"usage":null}',
  '"delta":{"content":" matek."},"finish_reason":null}],"usage":null}',
  '"delta":{},"finish_reason":"stop"}],"usage":null}',
]
  .map((rest) => `data: ${chunkHead}${rest}\n\n`)
  .concat("data: [DONE]\n\n")
  .join("");

/** The errors of every operation of chat, besides those of all operations. */
export const chatErrors = [
  "bad_request",
  "unknown_model",
  "unsupported_parameter",
  "context_length_exceeded",
  "content_policy_violation",
  "external_service_error",
  "service_unavailable",
] as const;
