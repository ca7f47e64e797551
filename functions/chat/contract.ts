import * as z from "zod";
import { defineOperation, longBodyBytes } from "../../shared/http/operation.ts";
import { conversationTooLong, fitsConversation, tokenUsage } from "../../shared/models/inference/chat.ts";
import {
  chatErrors,
  choiceIndexText,
  choicesText,
  completionHead,
  exampleStream,
  includeUsageText,
  kindText,
  modelAndSampling,
  streamHeaders,
  streamsInBody,
  textContent,
} from "./conversation-fields.ts";

const message = z
  .object({
    role: z.enum(["system", "user", "assistant"]).describe("Who wrote the message"),
    content: textContent.describe("The message: a text, or a list of parts that are joined"),
  })
  .meta({ id: "ChatMessage", example: { role: "user", content: "How do you say 'thank you' in Acholi?" } });

/** Ignores fields of the OpenAI API that are not named here (`n`, `tools`, `logprobs` …). */
export const chatCompletionRequest = z
  .object({
    messages: z
      .array(message)
      .min(1)
      .refine(fitsConversation, conversationTooLong)
      .describe("The whole conversation, oldest first, at most 200,000 characters"),
    ...modelAndSampling.shape,
    stream_options: z
      .object({ include_usage: z.boolean().nullish().describe(includeUsageText) })
      .nullish()
      .meta({ description: "Options of a stream" }),
  })
  .meta({ id: "ChatCompletionRequest" });
export type ChatCompletionRequest = z.output<typeof chatCompletionRequest>;

const finishReason = z
  .enum(["stop", "length", "content_filter"])
  .describe("`length`: the token limit was reached");
export const chatCompletion = z
  .object({
    ...completionHead.shape,
    object: z.literal("chat.completion").describe(kindText),
    choices: z
      .array(
        z.object({
          index: z.literal(0).describe(choiceIndexText),
          message: z
            .object({
              role: z.literal("assistant").describe("Who wrote the message"),
              content: z.string().meta({ example: "Apwoyo matek.", description: "The text of the reply" }),
            })
            .describe("The reply, to append to the conversation"),
          finish_reason: finishReason,
        }),
      )
      .length(1)
      .describe(choicesText),
    usage: tokenUsage,
  })
  .meta({ id: "ChatCompletion" });
export type ChatCompletion = z.infer<typeof chatCompletion>;

/** The data of a server-sent event: a piece of the reply, or, last and without choices, the token counts. */
export const chatCompletionChunk = z
  .object({
    ...completionHead.shape,
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

export const createChatCompletionOperation = defineOperation({
  id: "createChatCompletion",
  method: "POST",
  path: "/tasks/chat/completions",
  summary: "Continue a conversation",
  description:
    "Compatible with the chat completions of the OpenAI API: its SDKs work with `/tasks` as the base URL; use `/v1` " +
    "for tools and everything else they support. " +
    "With `stream: true` the response is `text/event-stream`: chunks (`chat.completion.chunk`) with the role, the " +
    "text piece by piece, the finish reason and, if `stream_options.include_usage` is set, one without choices " +
    "for the token counts, then `data: [DONE]`. If the reply fails after the start, an event with an `error` " +
    "replaces the rest. Comments keep the connection open while the model is silent, even before it starts. " +
    "Send the whole conversation with each request, at most 200,000 characters. It is not stored; the reply is " +
    "stored only when you send an `Idempotency-Key`.",
  tag: "Chat",
  auth: "user",
  scope: "chat",
  body: { encoding: "json", schema: chatCompletionRequest, maxBytes: longBodyBytes },
  response: {
    status: 200,
    description: "The reply, whole or as a stream",
    schema: chatCompletion,
    otherContentTypes: ["text/event-stream"],
    headers: streamHeaders,
  },
  streams: streamsInBody,
  example: { otherResponses: { "text/event-stream": exampleStream } },
  errors: chatErrors,
});
