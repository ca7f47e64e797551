import * as z from "zod";
import { defineOperation, longBodyBytes } from "../../../shared/http/operation.ts";
import { fitsConversation, requestTooLong } from "../../../shared/models/inference/chat.ts";
import { otherKinds, text, unknownMembers, unsupported } from "../../../shared/platform/validation/fields.ts";
import {
  chatErrors,
  exampleStream,
  includeUsageText,
  modelAndSampling,
  streamHeaders,
  streamsInBody,
} from "../conversation-fields.ts";
import { v1ChatCompletion } from "./chat-completion.ts";
import {
  engineFields,
  joinParts,
  maxTools,
  moderation,
  namedSchema,
  noEffect,
  noLogprobs,
  notContent,
  notStored,
  ofFunction,
  only,
  onlyNull,
  parallelToolCalls,
  reasoningEffort,
  textPartOf,
  toolChoiceText,
  toolChoiceWord,
  toolFunction,
  toolName,
  toolsText,
  toolTexts,
  verbosity,
  withoutEffect,
} from "./tool-fields.ts";

const contentText = "The message: a text, or a list of parts that are joined";

const content = z
  .union([z.string(), z.array(textPartOf(["text"]))], notContent)
  .transform(joinParts)
  .pipe(text())
  .describe(contentText);
const filledContent = content.pipe(text().trim().min(1)).describe(contentText);
const name = z.string().nullish().describe("Distinguishes writers with the same role");
const writer = "Who wrote the message; `developer` means `system`";

/** Models of others wrote some of them as JSON, not as a text. */
const callArguments = z
  .union([text(), z.record(z.string(), z.unknown()).transform((members) => JSON.stringify(members))])
  .describe("The arguments as JSON");

/** A call of an earlier reply. Some servers leave its type out. */
const earlierCall = z
  .object({
    id: z.string().min(1).describe(toolTexts.callId),
    type: z
      .literal("function", unsupported("Only tools of type `function` are supported."))
      .nullish()
      .describe(toolTexts.type),
    function: z
      .object({ name: toolName, arguments: callArguments })
      .describe("The function and its arguments"),
  })
  .meta({ id: "ToolCall" });

/** Of a conversation, members that are not known have no effect: clients send back what models of others replied. */
const message = z
  .discriminatedUnion(
    "role",
    [
      z.object({ role: z.enum(["system", "developer"]).describe(writer), content, name }),
      z.object({ role: z.literal("user").describe(writer), content: filledContent, name }),
      z.object({
        role: z.literal("assistant").describe(writer),
        content: content.nullish().describe(contentText),
        tool_calls: z
          .array(earlierCall)
          .max(maxTools)
          .nullish()
          .describe("The calls of an earlier reply, as it had them"),
        name,
        refusal: z
          .string()
          .nullish()
          .describe("An earlier refusal, which counts as text where there is no content"),
        function_call: onlyNull("Use `tool_calls` instead of `function_call`."),
      }),
      z.object({
        role: z.literal("tool").describe(writer),
        content: content.nullable().describe("The result of the call"),
        tool_call_id: z.string().min(1).describe("The id of the call"),
        name,
      }),
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
    z.strictObject({ type: z.enum(["text", "json_object"]).describe(toolTexts.format) }, unknownMembers),
    z.strictObject(
      {
        type: z.literal("json_schema").describe(toolTexts.format),
        json_schema: z.strictObject(namedSchema.shape, unknownMembers).describe("The schema of the reply"),
      },
      unknownMembers,
    ),
  ],
  otherKinds("Supported response formats: `text`, `json_object`, `json_schema`."),
);

const penalty = (what: string) =>
  z.number().min(-2).max(2).nullish().describe(`Makes ${what} less likely, or more likely if negative`);

/** Every field is known: it has an effect, has none, or is refused with 400 and its name. */
const v1ChatCompletionRequest = z
  .strictObject(
    {
      ...modelAndSampling.shape,
      messages: z.array(message).min(1).describe("The whole conversation, oldest first"),
      tools: z
        .array(
          ofFunction({
            function: z.strictObject(toolFunction.shape, unknownMembers).describe("What it does and takes"),
          }),
        )
        .max(maxTools)
        .nullish()
        .describe(toolsText),
      tool_choice: z
        .union([
          toolChoiceWord,
          ofFunction({
            function: z.strictObject({ name: toolName }, unknownMembers).describe("The function to call"),
          }),
        ])
        .nullish()
        .describe(toolChoiceText),
      parallel_tool_calls: parallelToolCalls,
      response_format: responseFormat.nullish().describe(toolTexts.format),
      seed: z.int().nullish().describe("The same seed makes the same reply likely"),
      presence_penalty: penalty("words that the reply already has"),
      frequency_penalty: penalty("words that the reply already has often"),
      reasoning_effort: reasoningEffort,
      stream_options: z
        .strictObject(
          {
            include_usage: z.boolean().nullish().describe(includeUsageText),
            include_obfuscation: z.boolean().nullish().describe(noEffect),
          },
          unknownMembers,
        )
        .nullish()
        .meta({ description: "Options of a stream" }),
      n: only(1, "Only one reply per request is supported."),
      logprobs: only(false, "Log probabilities are not supported."),
      top_logprobs: noLogprobs,
      logit_bias: z
        .record(z.string(), z.never(unsupported("Token biases are not supported.")))
        .nullish()
        .describe("Token biases are not supported."),
      modalities: z
        .array(z.literal("text", unsupported("Replies are text only; for speech use POST /v1/audio/speech.")))
        .nullish()
        .describe("Replies are text only; for speech use POST /v1/audio/speech."),
      audio: onlyNull("Audio is not supported."),
      prediction: z.unknown().optional().describe(noEffect),
      verbosity,
      moderation,
      store: notStored,
      functions: onlyNull("Use `tools` instead of `functions`."),
      function_call: onlyNull("Use `tool_choice` instead of `function_call`."),
      web_search_options: onlyNull("Web search is not supported."),
      ...engineFields.shape,
      ...withoutEffect.shape,
    },
    unknownMembers,
  )
  .refine(
    ({ messages, tools, response_format, stop, chat_template_kwargs: template }) =>
      fitsConversation(sizes(messages), [tools, response_format, stop, template]),
    requestTooLong("messages"),
  )
  .meta({ id: "V1ChatCompletionRequest" });
export type V1ChatCompletionRequest = z.output<typeof v1ChatCompletionRequest>;

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
  errors: chatErrors,
});
