import * as z from "zod";
import { defineOperation, longBodyBytes } from "../../../shared/http/operation.ts";
import { fitsConversation, requestTooLong, tokenUsage } from "../../../shared/models/inference/chat.ts";
import { otherKinds, text, unknownMembers, unsupported } from "../../../shared/platform/validation/fields.ts";
import {
  completionHead,
  exampleStream,
  modelAndSampling,
  streamHeaders,
  streamsInBody,
} from "../conversation-fields.ts";
import {
  joinParts,
  maxTools,
  namedSchema,
  noLogprobs,
  notContent,
  notStored,
  ofFunction,
  onlyNull,
  reasoningEffort,
  textPartOf,
  toolChoiceWord,
  toolFunction,
  toolName,
  usualVerbosity,
  withoutEffect,
} from "./tool-fields.ts";

const content = z
  .union([z.string(), z.array(textPartOf(["text"]))], notContent)
  .transform(joinParts)
  .pipe(text());
const filledContent = content.pipe(text().trim().min(1));
const name = z.string().nullish();

const message = z
  .discriminatedUnion(
    "role",
    [
      z.strictObject({ role: z.enum(["system", "developer"]), content, name }, unknownMembers),
      z.strictObject({ role: z.literal("user"), content: filledContent, name }, unknownMembers),
      z.strictObject(
        {
          role: z.literal("assistant"),
          content: content.nullish(),
          tool_calls: z
            .array(
              ofFunction({
                id: z.string().min(1),
                function: z.strictObject(
                  { name: toolName, arguments: text(), parsed_arguments: z.unknown().optional() },
                  unknownMembers,
                ),
                index: z.int().nullish(),
              }).meta({ id: "ToolCall" }),
            )
            .max(maxTools)
            .nullish(),
          name,
          refusal: onlyNull("Refusals are not supported."),
          audio: onlyNull("Audio is not supported."),
          function_call: onlyNull("Use `tool_calls` instead of `function_call`."),
          annotations: z.array(z.unknown()).nullish(),
          // What OpenAI's packages and LiteLLM add to a reply is sent back with it, such as `parsed_arguments`.
          parsed: z.unknown().optional(),
          provider_specific_fields: z.unknown().optional(),
        },
        unknownMembers,
      ),
      z.strictObject(
        { role: z.literal("tool"), content, tool_call_id: z.string().min(1), name },
        unknownMembers,
      ),
    ],
    { error: "role should be 'system', 'developer', 'user', 'assistant' or 'tool'" },
  )
  .meta({ id: "V1ChatMessage", example: { role: "user", content: "How do you say 'thank you' in Acholi?" } });
export type V1ChatMessage = z.output<typeof message>;

const sizes = (messages: readonly V1ChatMessage[]) =>
  messages.flatMap((turn) => [
    { content: turn.content ?? "" },
    { content: turn.name ?? "" },
    ...(turn.role === "assistant" ? (turn.tool_calls ?? []) : []).map((call) => ({
      content: call.function.name + call.function.arguments,
    })),
  ]);

const responseFormat = z.discriminatedUnion(
  "type",
  [
    z.strictObject({ type: z.enum(["text", "json_object"]) }, unknownMembers),
    z.strictObject(
      { type: z.literal("json_schema"), json_schema: z.strictObject(namedSchema.shape, unknownMembers) },
      unknownMembers,
    ),
  ],
  otherKinds("Supported response formats: `text`, `json_object`, `json_schema`."),
);

const penalty = z.number().min(-2).max(2).nullish();

/** Every field is known: it has an effect, has none, or is refused with 400 and its name. */
const v1ChatCompletionRequest = z
  .strictObject(
    {
      ...modelAndSampling.shape,
      messages: z.array(message).min(1),
      tools: z
        .array(ofFunction({ function: z.strictObject(toolFunction.shape, unknownMembers) }))
        .max(maxTools)
        .nullish(),
      tool_choice: z
        .union([toolChoiceWord, ofFunction({ function: z.strictObject({ name: toolName }, unknownMembers) })])
        .nullish(),
      parallel_tool_calls: z.boolean().nullish(),
      response_format: responseFormat.nullish(),
      seed: z.int().nullish(),
      presence_penalty: penalty,
      frequency_penalty: penalty,
      reasoning_effort: reasoningEffort,
      stream_options: z
        .strictObject(
          { include_usage: z.boolean().nullish(), include_obfuscation: z.boolean().nullish() },
          unknownMembers,
        )
        .nullish()
        .meta({ description: "`include_usage`: whether a stream ends with a chunk of the token counts" }),
      n: z.literal(1, unsupported("Only one reply per request is supported.")).nullish(),
      logprobs: z.literal(false, unsupported("Log probabilities are not supported.")).nullish(),
      top_logprobs: noLogprobs,
      logit_bias: z.record(z.string(), z.never(unsupported("Token biases are not supported."))).nullish(),
      modalities: z
        .array(z.literal("text", unsupported("Replies are text only; for speech use POST /v1/audio/speech.")))
        .nullish(),
      audio: onlyNull("Audio is not supported."),
      prediction: z.unknown().optional(),
      verbosity: usualVerbosity,
      store: notStored,
      functions: onlyNull("Use `tools` instead of `functions`."),
      function_call: onlyNull("Use `tool_choice` instead of `function_call`."),
      web_search_options: onlyNull("Web search is not supported."),
      ...withoutEffect.shape,
    },
    unknownMembers,
  )
  .refine(
    ({ messages, tools, response_format, stop }) =>
      fitsConversation(sizes(messages), [tools, response_format, stop]),
    requestTooLong("messages"),
  )
  .meta({ id: "V1ChatCompletionRequest" });
export type V1ChatCompletionRequest = z.output<typeof v1ChatCompletionRequest>;

const finishReason = z.enum(["stop", "length", "tool_calls", "content_filter"]).meta({
  description: "`tool_calls` when the model calls tools, `length` when the reply reached the token limit",
});

const usage = z
  .object({
    prompt_tokens: z.int().meta({ example: 44 }),
    completion_tokens: z.int().meta({ example: 9 }),
    total_tokens: z.int().meta({ example: 53 }),
  })
  .meta({ id: "V1TokenUsage", description: "Absent when the model's server does not report it" });

/** A chat completion of `/v1`: like that of `/tasks`, with tool calls. */
export const v1ChatCompletion = z
  .object({
    ...completionHead.shape,
    object: z.literal("chat.completion"),
    choices: z
      .array(
        z.object({
          index: z.literal(0),
          message: z.object({
            role: z.literal("assistant"),
            content: z.string().nullable().meta({ example: "Apwoyo matek." }),
            refusal: z.null(),
            tool_calls: z
              .array(
                z.object({
                  id: z.string(),
                  type: z.literal("function"),
                  function: z.object({ name: z.string(), arguments: z.string() }),
                }),
              )
              .optional(),
          }),
          logprobs: z.null(),
          finish_reason: finishReason,
        }),
      )
      .length(1),
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

export const createV1ChatCompletionOperation = defineOperation({
  id: "createV1ChatCompletion",
  method: "POST",
  path: "/v1/chat/completions",
  summary: "Continue a conversation, for clients of the OpenAI API",
  description:
    "Chat completions of the OpenAI API: its clients work unchanged with `/v1` as the base URL. Like " +
    "`/tasks/chat/completions`, with tools, response formats, penalties and `seed`, which are passed on to the " +
    "model's server. An unsupported parameter returns 400, and `error.param` names it; fields without effect " +
    "(`user`, `metadata`, `service_tier`, `prompt_cache_key` …) are accepted. `developer` means `system`.",
  tag: "OpenAI clients",
  auth: "user",
  scope: "chat",
  body: { encoding: "json", schema: v1ChatCompletionRequest, maxBytes: longBodyBytes },
  response: {
    status: 200,
    description: "The reply, whole or as a stream of `chat.completion.chunk`",
    schema: v1ChatCompletion,
    otherContentTypes: ["text/event-stream"],
    headers: streamHeaders,
  },
  streams: streamsInBody,
  example: { otherResponses: { "text/event-stream": exampleStream } },
  errors: ["unknown_model", "unsupported_parameter", "external_service_error", "service_unavailable"],
});
