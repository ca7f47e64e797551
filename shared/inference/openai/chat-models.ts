import type { ChatModelId, ChatModels, ChatRequest } from "../chat.ts";
import type { Backend } from "./backend.ts";
import { openModelServer } from "./call-policy.ts";
import { type CompletionRequest, completeChat } from "./chat-completion.ts";
import { streamChat } from "./chat-stream.ts";

/**
 * Chat models behind a server that speaks the OpenAI HTTP API.
 *
 * @param names what the server calls each model.
 */
export const createOpenAiChatModels = (
  backend: Backend,
  names: Readonly<Record<ChatModelId, string>>,
): ChatModels => {
  const server = openModelServer(backend, "chat");
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
    answer: (request, options) => completeChat(server, completionRequest(request), options),
    streamAnswer: (request, options) => streamChat(server, completionRequest(request), options),
  };
};
