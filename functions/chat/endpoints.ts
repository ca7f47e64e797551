import { workingMilliseconds } from "../../shared/config/function-definition.ts";
import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import type { ChatModels } from "../../shared/inference/chat.ts";
import { chatFunction, createChatCompletionOperation } from "./contract.ts";
import { createChatCompletion, readChatRequest } from "./create-chat-completion.ts";
import { streamChatCompletion } from "./stream-chat-completion.ts";

/** Below the shortest time after which proxies on the way close a silent connection: 30 seconds. */
const defaultKeepAliveMilliseconds = 15_000;

const defaultTimeLimitMilliseconds = workingMilliseconds(chatFunction);

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
      ? streamChatCompletion(request, {
          models,
          signal,
          requestId: id,
          keepAliveMilliseconds,
          timeLimitMilliseconds,
        })
      : createChatCompletion(request, { models, signal });
  }),
];
