import type { ChatModelId, ChatModels, ChatRequest } from "../chat.ts";
import type { Backend } from "./backend.ts";
import { openModelServer } from "./call-policy.ts";
import { type CompletionRequest, completeChat } from "./chat-completion.ts";
import { streamChat } from "./chat-stream.ts";

/**
 * Chat models behind a server that speaks the OpenAI HTTP API.
 *
 * @param names what the server calls each model.
 * @param thinksFirst whose answers begin inside a thought.
 */
export const createOpenAiChatModels = (
  backend: Backend,
  names: Readonly<Record<ChatModelId, string>>,
  thinksFirst: Readonly<Record<ChatModelId, boolean>> = { "lang-14b": false, "lang-9b": false },
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
    answer: (request, { signal }) =>
      completeChat(server, completionRequest(request), { signal, thinksFirst: thinksFirst[request.model] }),
    streamAnswer: (request, { signal }) =>
      streamChat(server, completionRequest(request), { signal, thinksFirst: thinksFirst[request.model] }),
  };
};
