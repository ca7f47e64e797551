import * as z from "zod";
import {
  accountLimitEnvironment,
  bucketEnvironment,
  chatBackendEnvironment,
  tableEnvironment,
  tokenEnvironment,
} from "../../shared/config/environment.ts";
import { defineFunction } from "../../shared/config/function-definition.ts";
import { text } from "../../shared/http/fields.ts";
import { defineOperation, longBodyBytes } from "../../shared/http/operation.ts";
import {
  chatModelIds,
  conversationTooLong,
  fitsConversation,
  tokenUsage,
} from "../../shared/inference/chat.ts";

const [defaultModel] = chatModelIds;
const defaultTemperature = 0.3;

const textPart = z.object({ type: z.literal("text"), text: z.string() }).meta({ id: "TextPart" });

/** A text, or text parts as the OpenAI SDKs allow them; either way one text that is not blank. */
const content = z
  .union([z.string(), z.array(textPart).min(1)], {
    error: "content should be a text or a list of parts of type 'text'",
  })
  .transform((value) => (typeof value === "string" ? value : value.map((part) => part.text).join("")))
  .pipe(text().trim().min(1));

const message = z
  .object({ role: z.enum(["system", "user", "assistant"]), content })
  .meta({ id: "ChatMessage", example: { role: "user", content: "How do you say 'thank you' in Acholi?" } });

const tokenLimit = z.int().min(1).nullish();

/** Fields of the OpenAI API that are not named here (`n`, `tools`, `stream_options` …) are ignored. */
export const chatCompletionRequest = z
  .object({
    model: z
      .string()
      .nullable()
      .default(defaultModel)
      .transform((model) => model ?? defaultModel)
      .meta({ description: `One of ${chatModelIds.map((id) => `\`${id}\``).join(", ")}` }),
    messages: z.array(message).min(1).refine(fitsConversation, conversationTooLong),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .nullable()
      .default(defaultTemperature)
      .transform((temperature) => temperature ?? defaultTemperature),
    max_tokens: tokenLimit.meta({
      description: "Most tokens of the answer; by default the model's own limit",
    }),
    max_completion_tokens: tokenLimit.meta({
      description: "Another name of `max_tokens`, which comes first",
    }),
    top_p: z.number().gt(0).max(1).nullish(),
    stop: z
      .union([z.string(), z.array(z.string())], { error: "stop should be a text or a list of texts" })
      .nullish()
      .meta({ description: "Texts that end the answer" }),
    stream: z
      .boolean()
      .nullish()
      .meta({ description: "Whether the answer comes as server-sent events while it is made" }),
  })
  .meta({ id: "ChatCompletionRequest" });
export type ChatCompletionRequest = z.output<typeof chatCompletionRequest>;

const finishReason = z
  .enum(["stop", "length", "content_filter"])
  .meta({ description: "`length` when the limit of tokens cut the answer" });

/** What an answer and each of its chunks begin with. */
const head = {
  id: z.string().meta({ example: "chatcmpl-0b8e9a4e6b0f4d6c8a52a1c9d1b5a7f3" }),
  created: z.int().meta({ description: "Unix time in seconds" }),
  model: z.enum(chatModelIds),
};

export const chatCompletion = z
  .object({
    ...head,
    object: z.literal("chat.completion"),
    choices: z
      .array(
        z.object({
          index: z.literal(0),
          message: z.object({ role: z.literal("assistant"), content: z.string() }),
          finish_reason: finishReason,
        }),
      )
      .length(1),
    usage: tokenUsage,
  })
  .meta({ id: "ChatCompletion" });
export type ChatCompletion = z.infer<typeof chatCompletion>;

/** The data of a server-sent event: a piece of the answer, or, last and without choices, the token counts. */
export const chatCompletionChunk = z
  .object({
    ...head,
    object: z.literal("chat.completion.chunk"),
    choices: z
      .array(
        z.object({
          index: z.literal(0),
          delta: z.object({ role: z.literal("assistant").optional(), content: z.string().optional() }),
          finish_reason: finishReason.nullable(),
        }),
      )
      .max(1),
    usage: tokenUsage.nullable(),
  })
  .meta({ id: "ChatCompletionChunk" });
export type ChatCompletionChunk = z.infer<typeof chatCompletionChunk>;

export const createChatCompletionOperation = defineOperation({
  id: "createChatCompletion",
  method: "POST",
  path: "/tasks/chat/completions",
  summary: "Continue a conversation",
  description:
    "Follows the chat completions of the OpenAI API: their SDKs work with `/tasks` as the base URL. " +
    "With `stream: true` the answer is `text/event-stream`: chunks (`chat.completion.chunk`) with the role, the " +
    "text piece by piece, the finish reason and the token counts, then `data: [DONE]`. A failure after the " +
    "beginning is an event with an `error` in the place of what is missing. Comments keep the connection open " +
    "while the model is silent, also before it has begun. The whole conversation is sent with each request, at most 200,000 characters; nothing of it is kept.",
  tag: "Chat",
  auth: "user",
  scope: "chat",
  body: { encoding: "json", schema: chatCompletionRequest, maximumBytes: longBodyBytes },
  response: {
    status: 200,
    description: "The answer, whole or as a stream",
    schema: chatCompletion,
    otherContentTypes: ["text/event-stream"],
  },
  streams: /"stream"\s*:\s*true/,
  errors: ["unknown_model", "external_service_error", "service_unavailable"],
});

export const chatFunction = defineFunction({
  name: "chat",
  description: "Chat, whole or streamed",
  operations: [createChatCompletionOperation],
  environment: {
    ...tableEnvironment,
    ...bucketEnvironment,
    ...accountLimitEnvironment,
    ...tokenEnvironment,
    ...chatBackendEnvironment,
  },
  memoryMegabytes: 512,
  timeoutSeconds: 600,
  transfer: "stream",
  functionUrl: true,
});
