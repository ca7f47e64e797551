import * as z from "zod";
import { jsonSchema } from "./fill-schema.ts";

const textPart = z.looseObject({
  type: z.literal("text", { error: "The sample server reads parts of type 'text' only." }),
  text: z.string(),
});

const message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: z.union([z.string(), z.array(textPart)]).nullish(),
});

const tool = z.looseObject({
  type: z.literal("function", { error: "The sample server calls tools of type 'function' only." }),
  function: z.looseObject({ name: z.string().min(1), parameters: jsonSchema.nullish() }),
});

const toolChoice = z.union([
  z.enum(["auto", "none", "required"]),
  z.looseObject({ type: z.literal("function"), function: z.looseObject({ name: z.string() }) }),
]);

const responseFormat = z.discriminatedUnion("type", [
  z.looseObject({ type: z.enum(["text", "json_object"]) }),
  z.looseObject({
    type: z.literal("json_schema"),
    json_schema: z.looseObject({ name: z.string(), schema: jsonSchema.nullish() }),
  }),
]);

const tokenLimit = z.int().min(1).nullish();

/**
 * The part of OpenAI's chat completion request that changes a response of the sample server. Sampling parameters and
 * unknown fields are ignored, as the servers it imitates do.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat/create
 */
export const completionRequest = z
  .looseObject({
    model: z.string(),
    messages: z.array(message).min(1),
    max_tokens: tokenLimit,
    max_completion_tokens: tokenLimit,
    // An empty stop string would end every reply before it starts.
    stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(4)]).nullish(),
    n: z.literal(1, { error: "The sample server returns one choice." }).nullish(),
    tools: z.array(tool).nullish(),
    tool_choice: toolChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    response_format: responseFormat.nullish(),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  })
  .refine(({ stream, stream_options }) => stream === true || stream_options == null, {
    path: ["stream_options"],
    error: "Only allowed when 'stream' is true.",
  })
  .refine(({ tools, tool_choice }) => tool_choice == null || (tools ?? []).length > 0, {
    path: ["tool_choice"],
    error: "Only allowed when 'tools' are specified.",
  });

/** A request for a chat completion, checked. */
export type CompletionRequest = z.infer<typeof completionRequest>;

/** One message of such a request. */
export type ChatMessage = CompletionRequest["messages"][number];
