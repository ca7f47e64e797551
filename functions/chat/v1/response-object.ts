import * as z from "zod";
import { chatModelIds } from "../../../shared/models/inference/chat.ts";
import { jsonSchema, toolChoiceWord, toolTexts } from "./tool-fields.ts";

/** The documentation of the kinds of items. */
export const itemKind = "The kind of item";

/** Why nothing can be referenced. */
export const stateless =
  "Responses are not stored, so nothing can be referenced: send the whole conversation, with `store: false`.";

const itemStatus = z.enum(["in_progress", "completed", "incomplete"]).describe("`incomplete`: at a limit");
const outputText = z.object({
  type: z.literal("output_text").describe("The kind of part"),
  text: z.string().describe("The text of the reply"),
  annotations: z.array(z.never()).describe("Always empty"),
  logprobs: z.array(z.never()).describe("Always empty"),
});

const outputItem = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("message").describe(itemKind),
      id: z.string().describe("The id of the item in events"),
      status: itemStatus,
      role: z.literal("assistant").describe("Who wrote the message"),
      content: z.array(outputText).describe("The parts of the message"),
    }),
    z.object({
      type: z.literal("function_call").describe(itemKind),
      id: z.string().describe("The id of the item in events"),
      status: itemStatus,
      call_id: z.string().describe(toolTexts.callId),
      name: z.string().describe("The function to call"),
      arguments: z.string().describe(toolTexts.arguments),
    }),
  ])
  .meta({ id: "ResponseOutputItem" });
export type ResponseOutputItem = z.infer<typeof outputItem>;

const usage = z
  .object({
    input_tokens: z.int().describe("Tokens of the conversation and tools"),
    input_tokens_details: z
      .object({ cached_tokens: z.int().describe("Always 0") })
      .describe("A part of the input tokens"),
    output_tokens: z.int().describe("Tokens of the reply"),
    output_tokens_details: z
      .object({ reasoning_tokens: z.int().describe("Always 0") })
      .describe("A part of the output tokens"),
    total_tokens: z.int().describe("The sum of both"),
  })
  .meta({ id: "ResponseUsage" });

/** The documentation of fields that repeat the request. */
const asRequested = "As in the request, or its default";

export const responseObject = z
  .object({
    id: z.string().meta({
      example: "resp_0b8e9a4e6b0f4d6c8a52a1c9d1b5a7f3",
      description: "The id of the response, for reports; it cannot be retrieved later",
    }),
    object: z.literal("response").describe("The kind of object, as in the OpenAI API"),
    created_at: z.int().meta({ description: "Unix time in seconds" }),
    completed_at: z.int().nullable().describe("Unix time in seconds; null until the response is completed"),
    status: z
      .enum(["in_progress", "completed", "incomplete", "failed"])
      .describe("`incomplete` when a limit ended the reply; `in_progress` only in events"),
    error: z
      .object({
        code: z.string().describe("What went wrong, for programs"),
        message: z.string().describe("What went wrong, as a sentence"),
      })
      .meta({ id: "ResponseFailure" })
      .nullable()
      .describe("Why the response failed; null otherwise"),
    incomplete_details: z
      .object({
        reason: z.enum(["max_output_tokens", "content_filter"]).describe("Which limit ended the reply"),
      })
      .nullable()
      .describe("Why the response is incomplete; null otherwise"),
    instructions: z.string().nullable().describe(asRequested),
    max_output_tokens: z.int().nullable().describe(asRequested),
    metadata: z.record(z.string(), z.string()).describe(asRequested),
    model: z.enum(chatModelIds).describe("The model that replied"),
    output: z.array(outputItem).describe("The reply: messages and function calls"),
    parallel_tool_calls: z.boolean().describe(asRequested),
    previous_response_id: z.null().describe(stateless),
    reasoning: z
      .object({
        effort: z.string().nullable().describe(asRequested),
        summary: z.null().describe("Replies never contain reasoning"),
      })
      .describe(asRequested),
    store: z.literal(false).describe("Responses are not stored"),
    background: z.literal(false).describe("Responses do not run in the background"),
    temperature: z.number().describe(asRequested),
    text: z
      .object({
        format: z
          .discriminatedUnion("type", [
            z.object({ type: z.enum(["text", "json_object"]).describe(toolTexts.format) }),
            z.object({
              type: z.literal("json_schema").describe(toolTexts.format),
              name: z.string().describe(asRequested),
              description: z.string().nullable().describe(asRequested),
              schema: jsonSchema.nullable().describe(asRequested),
              strict: z.boolean().describe(asRequested),
            }),
          ])
          .describe(asRequested),
      })
      .describe(asRequested),
    tool_choice: z
      .union([
        toolChoiceWord,
        z.object({
          type: z.literal("function").describe(toolTexts.type),
          name: z.string().describe("The function to call"),
        }),
      ])
      .describe(asRequested),
    tools: z
      .array(
        z.object({
          type: z.literal("function").describe(toolTexts.type),
          name: z.string().describe(asRequested),
          description: z.string().nullable().describe(toolTexts.description),
          parameters: jsonSchema.nullable().describe(toolTexts.parameters),
          strict: z.boolean().nullable().describe(toolTexts.strict),
        }),
      )
      .describe(asRequested),
    top_p: z.number().nullable().describe(asRequested),
    truncation: z.literal("disabled").describe("Conversations are never truncated"),
    usage: usage
      .nullable()
      .describe("Token counts; null until the response has ended, or if they are unknown"),
    user: z.string().nullable().describe(asRequested),
  })
  .meta({ id: "Response" });
export type ResponseObject = z.input<typeof responseObject>;
