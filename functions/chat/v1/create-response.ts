import { randomUUID } from "node:crypto";
import type {
  ChatRequest,
  FinishReason,
  TokenUsage,
  ToolCall,
} from "../../../shared/models/inference/chat.ts";
import type { AppError } from "../../../shared/platform/errors/app-error.ts";
import { countTokens } from "../../../shared/platform/telemetry/use.ts";
import { type ChatOptions, findModel } from "../create-chat-completion.ts";
import { wholeUsage } from "./create-completion.ts";
import { functionsIn } from "./read-request.ts";
import type { ResponseObject, ResponseOutputItem } from "./response-object.ts";
import type { ResponseRequest } from "./responses-contract.ts";
import { jsonSchema } from "./tool-fields.ts";

const newId = (kind: "resp" | "msg" | "fc"): string => `${kind}_${randomUUID().replaceAll("-", "")}`;

const unixSeconds = (): number => Math.floor(Date.now() / 1_000);

const reportedFormat = (
  format: NonNullable<ResponseRequest["text"]>["format"],
): ResponseObject["text"]["format"] => {
  if (format?.type !== "json_schema") return { type: format?.type ?? "text" };
  const { type, name, description, schema, strict } = format;
  return {
    type,
    name,
    description: description ?? null,
    schema: jsonSchema.nullish().parse(schema) ?? null,
    strict: strict ?? false,
  };
};

/** A started response with the request's fields, as the OpenAI API repeats them. */
export const beginResponse = (request: ResponseRequest): ResponseObject => ({
  id: newId("resp"),
  object: "response",
  created_at: unixSeconds(),
  completed_at: null,
  status: "in_progress",
  error: null,
  incomplete_details: null,
  instructions: request.instructions ?? null,
  max_output_tokens: request.max_output_tokens ?? null,
  metadata: request.metadata ?? {},
  model: findModel(request.model),
  output: [],
  parallel_tool_calls: request.parallel_tool_calls ?? true,
  previous_response_id: null,
  reasoning: { effort: request.reasoning?.effort ?? null, summary: null },
  store: false,
  background: false,
  temperature: request.temperature,
  text: { format: reportedFormat(request.text?.format) },
  tool_choice: request.tool_choice ?? "auto",
  tools: functionsIn(request.tools).map(({ type, name, description, parameters, strict }) => ({
    type,
    name,
    description: description ?? null,
    parameters: jsonSchema.nullish().parse(parameters) ?? null,
    strict: strict ?? null,
  })),
  top_p: request.top_p ?? null,
  truncation: "disabled",
  usage: null,
  user: request.user ?? null,
});

type ItemStatus = ResponseOutputItem["status"];

export const messageItem = (id: string, text: string | undefined, status: ItemStatus) => ({
  type: "message" as const,
  id,
  status,
  role: "assistant" as const,
  content: text === undefined ? [] : [textContentPart(text)],
});

export const textContentPart = (text: string) => ({
  type: "output_text" as const,
  text,
  annotations: [],
  logprobs: [],
});

export const callItem = (id: string, call: ToolCall, status: ItemStatus) => ({
  type: "function_call" as const,
  id,
  status,
  call_id: call.id,
  name: call.name,
  arguments: call.arguments,
});

export const newItemId = (type: ResponseOutputItem["type"]): string =>
  newId(type === "message" ? "msg" : "fc");

const usageOf = (usage: TokenUsage | undefined): ResponseObject["usage"] => {
  const counted = wholeUsage(usage);
  if (!counted) return null;
  return {
    input_tokens: counted.prompt_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: counted.completion_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: counted.total_tokens,
  };
};

const cutReasons: Readonly<
  Partial<Record<FinishReason, NonNullable<ResponseObject["incomplete_details"]>["reason"]>>
> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

/** Whether a response, and each of its items, is complete. */
export const statusAfter = (finishReason: FinishReason): "completed" | "incomplete" =>
  cutReasons[finishReason] ? "incomplete" : "completed";

export const endResponse = (
  response: ResponseObject,
  output: ResponseOutputItem[],
  { finishReason, usage }: { readonly finishReason: FinishReason; readonly usage: TokenUsage | undefined },
): ResponseObject => {
  const reason = cutReasons[finishReason];
  return {
    ...response,
    completed_at: reason ? null : unixSeconds(),
    status: statusAfter(finishReason),
    incomplete_details: reason ? { reason } : null,
    output,
    usage: usageOf(usage),
  };
};

/** A response that failed after it had started. */
export const failResponse = (
  response: ResponseObject,
  output: ResponseOutputItem[],
  { code, message }: AppError,
): ResponseObject => ({ ...response, status: "failed", error: { code, message }, output });

/** Returns a whole response. @throws AppError as the models do. */
export const createResponse = async (
  wanted: ResponseRequest,
  request: ChatRequest,
  { models, signal }: ChatOptions,
): Promise<ResponseObject> => {
  const response = beginResponse(wanted);
  const { text, toolCalls = [], finishReason, usage } = await models.reply(request, { signal });
  countTokens(usage);
  const status = statusAfter(finishReason);
  const output = [
    ...(text === "" ? [] : [messageItem(newItemId("message"), text, status)]),
    ...toolCalls.map((call) => callItem(newItemId("function_call"), call, status)),
  ];
  return endResponse(response, output, { finishReason, usage });
};
