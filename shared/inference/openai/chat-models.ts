import type { ChatModelId, ChatModels, ChatRequest } from "../chat.ts";
import type { Backend, TaskBackend } from "./backend.ts";
import { completeChat } from "./chat-completion.ts";
import { streamChat } from "./chat-stream.ts";
import type { CompletionRequest } from "./completion-wire.ts";

/**
 * Chat models behind a server that speaks the OpenAI HTTP API.
 *
 * @param names what the server calls each model.
 */
export const createOpenAiChatModels = (
  server: Backend,
  names: Readonly<Record<ChatModelId, string>>,
): ChatModels => {
  const backend: TaskBackend = { ...server, task: "chat" };
  const completionRequest = ({
    model,
    messages,
    temperature,
    topP,
    maximumTokens,
    stop,
  }: ChatRequest): CompletionRequest => ({
    model: names[model],
    messages,
    temperature,
    top_p: topP,
    max_tokens: maximumTokens,
    stop,
  });
  return {
    answer: (request, options) => completeChat(backend, completionRequest(request), options),
    streamAnswer: (request, options) => streamChat(backend, completionRequest(request), options),
  };
};
