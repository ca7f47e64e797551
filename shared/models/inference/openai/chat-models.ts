import { AppError } from "../../../platform/errors/app-error.ts";
import {
  type ChatMessage,
  type ChatModels,
  type ChatRequest,
  defaultTemperature,
  type EngineParameters,
} from "../chat.ts";
import type { Backends, ServedModel } from "./backend.ts";
import { openModelServer } from "./call-policy.ts";
import {
  type CompletionPlan,
  type CompletionRequest,
  completeChat,
  type WireMessage,
} from "./chat-completion.ts";
import { streamChat } from "./chat-stream.ts";
import { fitToContext } from "./context-length.ts";
import type { ModelCall } from "./task-server.ts";

const wireMessage = (message: ChatMessage): WireMessage => {
  if (message.role === "tool") {
    return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
  }
  const { role, content, name } = message;
  const calls = message.role === "assistant" ? message.toolCalls : undefined;
  if (!calls?.length) return { role, content, name };
  return {
    role,
    content: content === "" ? null : content,
    name,
    tool_calls: calls.map(({ id, name, arguments: text }) => ({
      id,
      type: "function",
      function: { name, arguments: text },
    })),
  };
};

const wireToolChoice = (choice: ChatRequest["toolChoice"]): CompletionRequest["tool_choice"] =>
  typeof choice === "object" ? { type: "function", function: choice } : choice;

const wireResponseFormat = (format: ChatRequest["responseFormat"]): CompletionRequest["response_format"] => {
  if (format?.type !== "json_schema") return format;
  const { type, ...schema } = format;
  return { type, json_schema: schema };
};

const modelFor = ({ model }: ChatRequest, { backend }: ModelCall): ServedModel =>
  backend.models?.get(model) ?? backend.model;

/** @throws AppError `unsupported_parameter` for what the model's server does not know */
const engineParametersFor = ({ engine = {} }: ChatRequest, { profile }: ServedModel): EngineParameters => {
  const known: readonly string[] = profile.chat.parameters;
  const unknown = Object.keys(engine).find((name) => !known.includes(name));
  if (unknown === undefined) return engine;
  const message = `The model's server does not know \`${unknown}\`.`;
  throw new AppError("unsupported_parameter", { message, param: unknown });
};

const planFor = (request: ChatRequest, served: ServedModel): CompletionPlan => {
  const { name, profile } = served;
  const { temperature, max_tokens_parameter: maxTokens, thinks_first: thinksFirst } = profile.chat;
  return {
    thinksFirst,
    // What the caller leaves out has the default.
    isCallers: (parameter) => parameter !== "temperature" || request.temperature !== defaultTemperature,
    request: {
      model: name,
      messages: request.messages.map(wireMessage),
      temperature: temperature === null ? undefined : request.temperature,
      top_p: request.topP,
      [maxTokens]: request.maxTokens,
      stop: request.stop,
      tools: request.tools?.map((tool) => ({ type: "function", function: tool })),
      tool_choice: wireToolChoice(request.toolChoice),
      parallel_tool_calls: request.parallelToolCalls,
      response_format: wireResponseFormat(request.responseFormat),
      seed: request.seed,
      presence_penalty: request.presencePenalty,
      frequency_penalty: request.frequencyPenalty,
      reasoning_effort: request.reasoningEffort,
      ...engineParametersFor(request, served),
    },
  };
};

/** Chat models behind servers that speak the OpenAI HTTP API. */
export const createOpenAiChatModels = (backends: Backends): ChatModels => {
  const server = openModelServer(backends, "chat");
  const call = <Reply>(
    request: ChatRequest,
    signal: AbortSignal,
    complete: (call: ModelCall, plan: CompletionPlan, signal: AbortSignal) => Promise<Reply>,
  ): Promise<Reply> =>
    server.call(signal, (call) => {
      const model = modelFor(request, call);
      return fitToContext(call, planFor(request, model), model.profile.chat.context_tokens, (plan) =>
        complete(call, plan, signal),
      );
    });
  return {
    reply: (request, { signal }) => call(request, signal, completeChat),
    streamReply: (request, { signal }) => call(request, signal, streamChat),
  };
};
