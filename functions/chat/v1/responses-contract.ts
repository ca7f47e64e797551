import * as z from "zod";
import { defineOperation, longBodyBytes } from "../../../shared/http/operation.ts";
import { chatModelIds, fitsConversation, requestTooLong } from "../../../shared/models/inference/chat.ts";
import { otherKinds, text, unknownMembers, unsupported } from "../../../shared/platform/validation/fields.ts";
import { modelFields, streamHeaders, streamsInBody, tokenLimit } from "../conversation-fields.ts";
import { exampleEvents, exampleResponse } from "./responses-example.ts";
import {
  joinParts,
  jsonSchema,
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
  .union([z.string(), z.array(textPartOf(["input_text", "output_text", "text"]))], notContent)
  .transform(joinParts)
  .pipe(text());

/** Fields of items from earlier responses, without effect. */
const ofItem = z.object({ id: z.string().nullish(), status: z.string().nullish() });

const stateless =
  "Responses are not stored, so nothing can be referenced: send the whole conversation, with `store: false`.";

const item = z
  .discriminatedUnion(
    "type",
    [
      z.strictObject(
        {
          ...ofItem.shape,
          type: z.literal("message").optional(),
          role: z.enum(["user", "system", "developer", "assistant"]),
          content,
          phase: z.string().nullish(),
        },
        unknownMembers,
      ),
      z.strictObject(
        {
          ...ofItem.shape,
          type: z.literal("function_call"),
          call_id: z.string().min(1),
          name: toolName,
          arguments: text(),
        },
        unknownMembers,
      ),
      z.strictObject(
        {
          ...ofItem.shape,
          type: z.literal("function_call_output"),
          call_id: z.string().min(1),
          output: content,
        },
        unknownMembers,
      ),
      z.object({
        type: z.literal("item_reference"),
        id: z.never(unsupported(stateless)),
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
        if (entry.type === "item_reference") return { content: "" };
        if (entry.type === "function_call") return { content: entry.name + entry.arguments };
        return { content: entry.type === "function_call_output" ? entry.output : entry.content };
      });

const format = z.discriminatedUnion(
  "type",
  [
    z.strictObject({ type: z.enum(["text", "json_object"]) }, unknownMembers),
    z.strictObject({ type: z.literal("json_schema"), ...namedSchema.shape }, unknownMembers),
  ],
  otherKinds("Supported response formats: `text`, `json_object`, `json_schema`."),
);

/** As on `/v1/chat/completions`: a field has an effect, has none, or is refused with 400 and its name. */
const responseRequest = z
  .strictObject(
    {
      ...modelFields.shape,
      input: z
        .union([text().trim().min(1), z.array(item).min(1)], {
          error: "input should be a text or a list of items",
        })
        .meta({ example: "How do you say 'thank you' in Acholi?" }),
      instructions: text().nullish(),
      max_output_tokens: tokenLimit,
      tools: z.array(ofFunction(toolFunction.shape)).max(maxTools).nullish(),
      tool_choice: z.union([toolChoiceWord, ofFunction({ name: toolName })]).nullish(),
      parallel_tool_calls: z.boolean().nullish(),
      text: z.strictObject({ format: format.nullish(), verbosity: usualVerbosity }, unknownMembers).nullish(),
      reasoning: z
        .strictObject(
          { effort: reasoningEffort, summary: z.string().nullish(), generate_summary: z.string().nullish() },
          unknownMembers,
        )
        .nullish()
        .meta({ description: "Replies never contain reasoning, so there is no summary" }),
      stream_options: z
        .strictObject({ include_obfuscation: z.boolean().nullish() }, unknownMembers)
        .nullish(),
      store: notStored,
      previous_response_id: onlyNull(stateless),
      conversation: onlyNull(stateless),
      prompt: onlyNull("Stored prompts are not supported."),
      context_management: onlyNull("Conversations are never truncated."),
      background: z.literal(false, unsupported("Background responses are not supported.")).nullish(),
      truncation: z.literal("disabled", unsupported("Conversations are never truncated.")).nullish(),
      include: z
        .array(
          z.literal(
            "reasoning.encrypted_content",
            unsupported("Responses contain only text and tool calls."),
          ),
        )
        .nullish(),
      top_logprobs: noLogprobs,
      max_tool_calls: z
        .int()
        .nullish()
        .meta({ description: "No effect: it limits tools that run on the server, and there are none" }),
      ...withoutEffect.shape,
    },
    unknownMembers,
  )
  .refine(
    ({ input, instructions, tools, text: reply }) =>
      fitsConversation(sizes(input), [instructions, tools, reply?.format]),
    requestTooLong("input"),
  )
  .meta({ id: "ResponseRequest" });
export type ResponseRequest = z.output<typeof responseRequest>;

const itemStatus = z.enum(["in_progress", "completed", "incomplete"]);

const outputText = z.object({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(z.never()),
  logprobs: z.array(z.never()),
});

const outputItem = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("message"),
      id: z.string(),
      status: itemStatus,
      role: z.literal("assistant"),
      content: z.array(outputText),
    }),
    z.object({
      type: z.literal("function_call"),
      id: z.string(),
      status: itemStatus,
      call_id: z.string(),
      name: z.string(),
      arguments: z.string(),
    }),
  ])
  .meta({ id: "ResponseOutputItem" });
export type ResponseOutputItem = z.infer<typeof outputItem>;

const usage = z
  .object({
    input_tokens: z.int(),
    input_tokens_details: z.object({ cached_tokens: z.int() }),
    output_tokens: z.int(),
    output_tokens_details: z.object({ reasoning_tokens: z.int() }),
    total_tokens: z.int(),
  })
  .meta({ id: "ResponseUsage" });

export const responseObject = z
  .object({
    id: z.string().meta({ example: "resp_0b8e9a4e6b0f4d6c8a52a1c9d1b5a7f3" }),
    object: z.literal("response"),
    created_at: z.int().meta({ description: "Unix time in seconds" }),
    completed_at: z.int().nullable(),
    status: z.enum(["in_progress", "completed", "incomplete", "failed"]),
    error: z.object({ code: z.string(), message: z.string() }).meta({ id: "ResponseFailure" }).nullable(),
    incomplete_details: z.object({ reason: z.enum(["max_output_tokens", "content_filter"]) }).nullable(),
    instructions: z.string().nullable(),
    max_output_tokens: z.int().nullable(),
    metadata: z.record(z.string(), z.string()),
    model: z.enum(chatModelIds),
    output: z.array(outputItem),
    parallel_tool_calls: z.boolean(),
    previous_response_id: z.null(),
    reasoning: z.object({ effort: z.string().nullable(), summary: z.null() }),
    store: z.literal(false),
    background: z.literal(false),
    temperature: z.number(),
    text: z.object({
      format: z.discriminatedUnion("type", [
        z.object({ type: z.enum(["text", "json_object"]) }),
        z.object({
          type: z.literal("json_schema"),
          name: z.string(),
          description: z.string().nullable(),
          schema: jsonSchema.nullable(),
          strict: z.boolean(),
        }),
      ]),
    }),
    tool_choice: z.union([toolChoiceWord, z.object({ type: z.literal("function"), name: z.string() })]),
    tools: z.array(
      z.object({
        type: z.literal("function"),
        name: z.string(),
        description: z.string().nullable(),
        parameters: jsonSchema.nullable(),
        strict: z.boolean().nullable(),
      }),
    ),
    top_p: z.number().nullable(),
    truncation: z.literal("disabled"),
    usage: usage.nullable(),
    user: z.string().nullable(),
  })
  .meta({ id: "Response" });
export type ResponseObject = z.input<typeof responseObject>;

export const createResponseOperation = defineOperation({
  id: "createResponse",
  method: "POST",
  path: "/v1/responses",
  summary: "Create a response, for clients of the OpenAI API",
  description:
    "Responses of the OpenAI API, without state: send the whole conversation with each request; it is not stored. " +
    "Supports text and tools of type `function`, and with `stream: true` the documented events " +
    "(`response.created`, `response.output_text.delta`, `response.function_call_arguments.delta`, " +
    "`response.completed` …). Stored responses, references to items, images and OpenAI's hosted tools return 400.",
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
  errors: ["unknown_model", "unsupported_parameter", "external_service_error", "service_unavailable"],
});
