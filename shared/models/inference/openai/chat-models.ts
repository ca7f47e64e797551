import type { ChatMessage, ChatModelId, ChatModels, ChatRequest } from "../chat.ts";
import type { Backends } from "./backend.ts";
import { openModelServer } from "./call-policy.ts";
import { type CompletionRequest, completeChat, type WireMessage } from "./chat-completion.ts";
import { streamChat } from "./chat-stream.ts";
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

/**
 * Chat models behind servers that speak the OpenAI HTTP API. @param names the servers' name for each model, unless a server has its
 * own. @param thinksFirst the models whose replies start inside a thought.
 */
export const createOpenAiChatModels = (
  backends: Backends,
  names: Readonly<Record<ChatModelId, string>>,
  thinksFirst: Readonly<Record<ChatModelId, boolean>> = { "lang-14b": false, "lang-9b": false },
): ChatModels => {
  const server = openModelServer(backends, "chat");
  const completionRequest = (request: ChatRequest, { backend }: ModelCall): CompletionRequest => ({
    model: backend.models?.[request.model] ?? names[request.model],
    messages: request.messages.map(wireMessage),
    temperature: request.temperature,
    top_p: request.topP,
    max_tokens: request.maxTokens,
    stop: request.stop,
    tools: request.tools?.map((tool) => ({ type: "function", function: tool })),
    tool_choice: wireToolChoice(request.toolChoice),
    parallel_tool_calls: request.parallelToolCalls,
    response_format: wireResponseFormat(request.responseFormat),
    seed: request.seed,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    reasoning_effort: request.reasoningEffort,
  });
  return {
    reply: (request, { signal }) =>
      completeChat(server, (call) => completionRequest(request, call), {
        signal,
        thinksFirst: thinksFirst[request.model],
      }),
    streamReply: (request, { signal }) =>
      streamChat(server, (call) => completionRequest(request, call), {
        signal,
        thinksFirst: thinksFirst[request.model],
      }),
  };
};
