import { workingMilliseconds } from "../../shared/config/function-definition.ts";
import { type Endpoint, endpoint, type RequestFacts } from "../../shared/http/endpoint.ts";
import type { Reply } from "../../shared/http/response.ts";
import type { ChatModels, ChatRequest } from "../../shared/inference/chat.ts";
import { type ChatCompletionRequest, chatFunction, createChatCompletionOperation } from "./contract.ts";
import { createChatCompletion, readChatRequest } from "./create-chat-completion.ts";
import { streamChatCompletion } from "./stream-chat-completion.ts";
import { createV1ChatCompletionOperation } from "./v1/chat-contract.ts";
import { createV1ChatCompletion } from "./v1/create-completion.ts";
import { createResponse } from "./v1/create-response.ts";
import { listModels, retrieveModel } from "./v1/list-models.ts";
import { listModelsOperation, retrieveModelOperation } from "./v1/models-contract.ts";
import { readResponseRequest, readV1ChatRequest } from "./v1/read-request.ts";
import { createResponseOperation } from "./v1/responses-contract.ts";

/** Below the shortest time after which proxies on the way close a silent connection: 30 seconds. */
const defaultKeepAliveMilliseconds = 15_000;

const defaultTimeLimitMilliseconds = workingMilliseconds(chatFunction);

/** What chat works with. */
export interface ChatDependencies {
  readonly models: ChatModels;
  readonly keepAliveMilliseconds?: number;
  readonly timeLimitMilliseconds?: number;
}

type StreamOptions = ChatCompletionRequest["stream_options"];

/** The operations of chat, bound to their use cases. */
export const chatEndpoints = ({
  models,
  keepAliveMilliseconds = defaultKeepAliveMilliseconds,
  timeLimitMilliseconds = defaultTimeLimitMilliseconds,
}: ChatDependencies): Endpoint[] => {
  const stream = (
    request: ChatRequest,
    options: StreamOptions,
    { id, signal }: RequestFacts,
  ): Promise<Reply> =>
    streamChatCompletion(request, {
      models,
      signal,
      requestId: id,
      keepAliveMilliseconds,
      timeLimitMilliseconds,
      includesUsage: options?.include_usage === true,
    });
  return [
    endpoint(createChatCompletionOperation, ({ body, request: facts }) => {
      const request = readChatRequest(body);
      return body.stream
        ? stream(request, body.stream_options, facts)
        : createChatCompletion(request, { models, signal: facts.signal });
    }),
    endpoint(createV1ChatCompletionOperation, ({ body, request: facts }) => {
      const request = readV1ChatRequest(body);
      return body.stream
        ? stream(request, body.stream_options, facts)
        : createV1ChatCompletion(request, { models, signal: facts.signal });
    }),
    endpoint(createResponseOperation, ({ body, request: facts }) => {
      const request = readResponseRequest(body);
      return createResponse(body, request, { models, signal: facts.signal });
    }),
    endpoint(listModelsOperation, () => listModels()),
    endpoint(retrieveModelOperation, ({ path }) => retrieveModel(path.id)),
  ];
};
