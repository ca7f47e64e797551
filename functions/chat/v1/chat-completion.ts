import * as z from "zod";
import { tokenUsage } from "../../../shared/models/inference/chat.ts";
import { choiceIndexText, choicesText, completionHead, kindText } from "../conversation-fields.ts";
import { toolTexts } from "./tool-fields.ts";

const finishReason = z.enum(["stop", "length", "tool_calls", "content_filter"]).meta({
  description: "`tool_calls` when the model calls tools, `length` when the reply reached the token limit",
});

const usage = z
  .object({
    prompt_tokens: z.int().meta({ example: 44, description: "Tokens of the conversation and tools" }),
    completion_tokens: z.int().meta({ example: 9, description: "Tokens of the reply" }),
    total_tokens: z.int().meta({ example: 53, description: "The sum of both" }),
  })
  .meta({ id: "V1TokenUsage", description: "Absent when the model's server does not report it" });

/** A chat completion of `/v1`: like that of `/tasks`, with tool calls. */
export const v1ChatCompletion = z
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
              content: z
                .string()
                .nullable()
                .meta({ example: "Apwoyo matek.", description: "The text; null if there are only calls" }),
              refusal: z.null().describe("Always null: a model that refuses does so in its text"),
              tool_calls: z
                .array(
                  z.object({
                    id: z.string().describe(toolTexts.callId),
                    type: z.literal("function").describe(toolTexts.type),
                    function: z
                      .object({
                        name: z.string().describe("The function to call"),
                        arguments: z.string().describe(toolTexts.arguments),
                      })
                      .describe("The function and its arguments"),
                  }),
                )
                .optional()
                .describe("The functions that the model calls"),
            })
            .describe("The reply, to append to the conversation"),
          logprobs: z.null().describe("Log probabilities are not supported."),
          finish_reason: finishReason,
        }),
      )
      .length(1)
      .describe(choicesText),
    usage: usage.optional(),
  })
  .meta({ id: "V1ChatCompletion" });
export type V1ChatCompletion = z.input<typeof v1ChatCompletion>;

/** The data of a server-sent event of `/v1/chat/completions`. */
export const v1ChatCompletionChunk = z
  .object({
    ...completionHead.shape,
    object: z.literal("chat.completion.chunk"),
    choices: z
      .array(
        z.object({
          index: z.literal(0),
          delta: z.object({
            role: z.literal("assistant").optional(),
            content: z.string().optional(),
            tool_calls: z
              .array(
                z.object({
                  index: z.int(),
                  id: z.string().optional(),
                  type: z.literal("function").optional(),
                  function: z.object({ name: z.string().optional(), arguments: z.string() }),
                }),
              )
              .optional(),
          }),
          finish_reason: finishReason.nullable(),
        }),
      )
      .max(1),
    usage: tokenUsage.nullish(),
  })
  .meta({ id: "V1ChatCompletionChunk" });
export type V1ChatCompletionChunk = z.infer<typeof v1ChatCompletionChunk>;
