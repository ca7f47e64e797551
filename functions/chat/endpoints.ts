import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import type { ChatModels } from "../../shared/inference/chat.ts";
import { completeChat } from "./complete-chat.ts";
import { chatFunction, createChatCompletionOperation } from "./contract.ts";
import { readChatRequest } from "./read-chat-request.ts";
import { streamChat } from "./stream-chat.ts";

/** Below the shortest time after which proxies on the way close a silent connection: 30 seconds. */
const defaultKeepAliveMilliseconds = 15_000;

/** Ten seconds before the function's own time is over. */
const defaultTimeLimitMilliseconds = (chatFunction.timeoutSeconds - 10) * 1_000;

/** What chat works with. */
export interface ChatDependencies {
  readonly models: ChatModels;
  readonly keepAliveMilliseconds?: number;
  readonly timeLimitMilliseconds?: number;
}

/** The operations of chat, bound to their use cases. */
export const chatEndpoints = ({
  models,
  keepAliveMilliseconds = defaultKeepAliveMilliseconds,
  timeLimitMilliseconds = defaultTimeLimitMilliseconds,
}: ChatDependencies): Endpoint[] => [
  endpoint(createChatCompletionOperation, ({ body, request: { id, signal } }) => {
    const request = readChatRequest(body);
    return body.stream
      ? streamChat(request, { models, signal, requestId: id, keepAliveMilliseconds, timeLimitMilliseconds })
      : completeChat(request, { models, signal });
  }),
];
