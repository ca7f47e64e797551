import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint, RequestFacts } from "../../shared/http/exchange.ts";
import { workingMilliseconds } from "../../shared/http/function-definition.ts";
import type { Reply } from "../../shared/http/response.ts";
import type { ChatModels, ChatRequest, TokenUsage } from "../../shared/models/inference/chat.ts";
import { createChatCompletionOperation } from "./contract.ts";
import { createChatCompletion, newCompletionHead, readChatRequest } from "./create-chat-completion.ts";
import { chatTimeoutSeconds } from "./environment.ts";
import { streamChatCompletion } from "./stream-chat-completion.ts";
import { createV1ChatCompletionOperation } from "./v1/chat-contract.ts";
import { createV1ChatCompletion, wholeUsage } from "./v1/create-completion.ts";
import { readV1ChatRequest } from "./v1/read-request.ts";
import { chunkWriter, type EventWriter } from "./write-frames.ts";

/** Less than the shortest time after which proxies close a silent connection: 30 seconds. */
const defaultKeepAliveMilliseconds = 15_000;

const defaultTimeLimitMilliseconds = workingMilliseconds({ timeoutSeconds: chatTimeoutSeconds });

export interface ChatDependencies {
  readonly models: ChatModels;
  readonly keepAliveMilliseconds?: number;
  readonly timeLimitMilliseconds?: number;
}

/** Returns what streams a reply to a request. */
export const streamWith =
  ({
    models,
    keepAliveMilliseconds = defaultKeepAliveMilliseconds,
    timeLimitMilliseconds = defaultTimeLimitMilliseconds,
  }: ChatDependencies) =>
  (request: ChatRequest, writer: EventWriter, { id, signal }: RequestFacts): Promise<Reply> =>
    streamChatCompletion(request, {
      models,
      signal,
      requestId: id,
      keepAliveMilliseconds,
      timeLimitMilliseconds,
      writer,
    });

const hideUsage = (): undefined => undefined;

/** The routes that continue a conversation. */
export const chatEndpoints = (dependencies: ChatDependencies): Endpoint[] => {
  const { models } = dependencies;
  const stream = streamWith(dependencies);
  return [
    endpoint(createChatCompletionOperation, ({ body, request: facts }) => {
      const request = readChatRequest(body);
      if (!body.stream) return createChatCompletion(request, { models, signal: facts.signal });
      const showUsage = body.stream_options?.include_usage ? (usage: TokenUsage) => usage : hideUsage;
      return stream(request, chunkWriter(newCompletionHead(request.model), showUsage), facts);
    }),
    endpoint(createV1ChatCompletionOperation, ({ body, request: facts }) => {
      const request = readV1ChatRequest(body);
      if (!body.stream) return createV1ChatCompletion(request, { models, signal: facts.signal });
      const showUsage = body.stream_options?.include_usage ? wholeUsage : hideUsage;
      return stream(request, chunkWriter(newCompletionHead(request.model), showUsage), facts);
    }),
  ];
};
