import * as z from "zod";
import { defineOperation, longBodyBytes } from "../../../shared/http/operation.ts";
import { fitsConversation, requestTooLong } from "../../../shared/models/inference/chat.ts";
import { otherKinds, text, unknownMembers, unsupported } from "../../../shared/platform/validation/fields.ts";
import {
  chatErrors,
  modelFields,
  streamHeaders,
  streamsInBody,
  tokenLimit,
  tokenLimitText,
} from "../conversation-fields.ts";
import { itemKind, responseObject, stateless } from "./response-object.ts";
import { exampleEvents, exampleResponse } from "./responses-example.ts";
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

const content = z
  .union([z.string(), z.array(textPartOf(["input_text", "output_text", "text"]))], notContent)
  .transform(joinParts)
  .pipe(text())
  .describe("The message: a text, or a list of parts that are joined");

/** What OpenAI's models write next to messages and calls, and their hosted tools. Clients send it back. */
const itemsWithoutEffect = [
  "reasoning",
  "compaction",
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_list_tools",
  "mcp_call",
  "mcp_approval_request",
  "mcp_approval_response",
  "tool_search_call",
  "tool_search_output",
] as const;

/** Members that are not known have no effect, such as `id`, `status` and `phase` of earlier replies. */
const item = z
  .discriminatedUnion(
    "type",
    [
      z.object({
        type: z.literal("message").optional().describe(itemKind),
        role: z
          .enum(["user", "system", "developer", "assistant"])
          .describe("Who wrote the message; `developer` means `system`"),
        content,
      }),
      z.object({
        type: z.literal("function_call").describe(itemKind),
        call_id: z.string().min(1).describe(toolTexts.callId),
        name: toolName,
        arguments: text().describe("The arguments as JSON"),
      }),
      z.object({
        type: z.literal("function_call_output").describe(itemKind),
        call_id: z.string().min(1).describe("The id of the call"),
        output: content.describe("The result of the call"),
      }),
      z.object({
        type: z.enum(itemsWithoutEffect).describe("Accepted without effect, from earlier responses"),
      }),
      z.object({
        type: z.literal("item_reference").describe("Not supported"),
        id: z.never(unsupported(stateless)).describe(stateless),
      }),
    ],
    otherKinds("Only messages, function calls and their outputs are supported."),
  )
  .meta({ id: "ResponseInputItem" });
export type ResponseInputItem = z.output<typeof item>;

const sizes = (input: string | readonly ResponseInputItem[]) =>
  typeof input === "string"
    ? [{ content: input }]
    : input.map((entry) => {
        if (entry.type === "function_call") return { content: entry.name + entry.arguments };
        if (entry.type === "function_call_output") return { content: entry.output };
        return { content: "role" in entry ? entry.content : "" };
      });

const format = z.discriminatedUnion(
  "type",
  [
    z.strictObject({ type: z.enum(["text", "json_object"]).describe(toolTexts.format) }, unknownMembers),
    z.strictObject(
      { type: z.literal("json_schema").describe(toolTexts.format), ...namedSchema.shape },
      unknownMembers,
    ),
  ],
  otherKinds("Supported response formats: `text`, `json_object`, `json_schema`."),
);

/** Tools of OpenAI's and of Codex, which nothing here runs. The model is not offered them, as by a model that cannot use them. */
const otherTools = [
  "custom",
  "namespace",
  "web_search",
  "web_search_2025_08_26",
  "web_search_preview",
  "web_search_preview_2025_03_11",
  "file_search",
  "code_interpreter",
  "image_generation",
  "computer",
  "computer_use_preview",
  "mcp",
  "local_shell",
  "shell",
  "apply_patch",
  "tool_search",
  "programmatic_tool_calling",
] as const;

const declaredFunction = z.strictObject(
  {
    type: z.literal("function").describe(toolTexts.type),
    ...toolFunction.shape,
    defer_loading: z.boolean().nullish().describe(noEffect),
  },
  unknownMembers,
);

const tool = z.discriminatedUnion(
  "type",
  [
    declaredFunction,
    z.object({ type: z.enum(otherTools).describe("Not offered to the model: only functions are") }),
  ],
  otherKinds("Only tools of type `function` are supported."),
);
export type ResponseFunction = z.output<typeof declaredFunction>;

/** As on `/v1/chat/completions`: a field has an effect, has none, or is refused with 400 and its name. */
const responseRequest = z
  .strictObject(
    {
      ...modelFields.shape,
      input: z
        .union([text().trim().min(1), z.array(item).min(1)], {
          error: "input should be a text or a list of items",
        })
        .meta({
          example: "How do you say 'thank you' in Acholi?",
          description: "A text, or the whole conversation with its function calls",
        }),
      instructions: text().nullish().describe("A system message before the input"),
      max_output_tokens: tokenLimit.describe(tokenLimitText),
      tools: z.array(tool).max(maxTools).nullish().describe(toolsText),
      tool_choice: z
        .union([toolChoiceWord, ofFunction({ name: toolName })])
        .nullish()
        .describe(toolChoiceText),
      parallel_tool_calls: parallelToolCalls,
      text: z
        .strictObject({ format: format.nullish().describe(toolTexts.format), verbosity }, unknownMembers)
        .nullish()
        .describe("The format of the reply"),
      reasoning: z
        .strictObject(
          {
            effort: reasoningEffort,
            summary: z.string().nullish().describe(noEffect),
            generate_summary: z.string().nullish().describe(noEffect),
            context: z.string().nullish().describe(noEffect),
            mode: z.string().nullish().describe(noEffect),
          },
          unknownMembers,
        )
        .nullish()
        .meta({ description: "Replies never contain reasoning, so there is no summary" }),
      stream_options: z
        .strictObject({ include_obfuscation: z.boolean().nullish().describe(noEffect) }, unknownMembers)
        .nullish()
        .describe(noEffect),
      store: notStored,
      previous_response_id: onlyNull(stateless),
      conversation: onlyNull(stateless),
      prompt: onlyNull("Stored prompts are not supported."),
      context_management: onlyNull("Conversations are never truncated."),
      image: onlyNull("Images are not supported."),
      moderation,
      client_metadata: z.unknown().optional().describe(noEffect),
      access_programs: z.unknown().optional().describe(noEffect),
      background: only(false, "Background responses are not supported."),
      truncation: only("disabled", "Conversations are never truncated."),
      include: z
        .array(
          z.literal(
            "reasoning.encrypted_content",
            unsupported("Responses contain only text and tool calls."),
          ),
        )
        .nullish()
        .describe("No effect: responses contain only text and tool calls"),
      top_logprobs: noLogprobs,
      max_tool_calls: z
        .int()
        .nullish()
        .meta({ description: "No effect: it limits tools that run on the server, and there are none" }),
      ...engineFields.shape,
      ...withoutEffect.shape,
    },
    unknownMembers,
  )
  .refine(
    ({ input, instructions, tools, text: reply, chat_template_kwargs: template }) =>
      fitsConversation(sizes(input), [instructions, tools, reply?.format, template]),
    requestTooLong("input"),
  )
  .meta({ id: "ResponseRequest" });
export type ResponseRequest = z.output<typeof responseRequest>;

export const createResponseOperation = defineOperation({
  id: "createResponse",
  method: "POST",
  path: "/v1/responses",
  summary: "Create a response, for clients of the OpenAI API",
  description:
    "Responses of the OpenAI API, without state: send the whole conversation with each request; it is not stored. " +
    "Supports text and tools of type `function` (other tools are left out of what the model sees), and with `stream: true` the documented events " +
    "(`response.created`, `response.output_text.delta`, `response.function_call_arguments.delta`, " +
    "`response.completed` …). Stored responses, references to items and images return 400.",
  tag: "OpenAI clients",
  auth: "user",
  scope: "chat",
  body: { encoding: "json", schema: responseRequest, maxBytes: longBodyBytes },
  response: {
    status: 200,
    description: "The response, whole or as a stream of its events",
    schema: responseObject,
    otherContentTypes: ["text/event-stream"],
    headers: streamHeaders,
  },
  streams: streamsInBody,
  example: {
    response: exampleResponse,
    otherResponses: {
      "text/event-stream": exampleEvents
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(""),
    },
  },
  errors: chatErrors,
});
