import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint, RequestFacts } from "../../shared/http/exchange.ts";
import { workingMilliseconds } from "../../shared/http/function-definition.ts";
import type { Reply } from "../../shared/http/response.ts";
import type { ChatModels, ChatRequest, TokenUsage } from "../../shared/models/inference/chat.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import { chatFunction, createChatCompletionOperation } from "./contract.ts";
import { createChatCompletion, newCompletionHead, readChatRequest } from "./create-chat-completion.ts";
import { streamChatCompletion } from "./stream-chat-completion.ts";
import { createV1ChatCompletionOperation } from "./v1/chat-contract.ts";
import { createV1ChatCompletion, wholeUsage } from "./v1/create-completion.ts";
import { beginResponse, createResponse } from "./v1/create-response.ts";
import { listModels, retrieveModel } from "./v1/list-models.ts";
import { listModelsOperation, retrieveModelOperation } from "./v1/models-contract.ts";
import { readResponseRequest, readV1ChatRequest } from "./v1/read-request.ts";
import { createResponseOperation } from "./v1/responses-contract.ts";
import { ResponseWriter } from "./v1/write-response.ts";
import { chunkWriter, type EventWriter } from "./write-frames.ts";

/** Less than the shortest time after which proxies close a silent connection: 30 seconds. */
const defaultKeepAliveMilliseconds = 15_000;

const defaultTimeLimitMilliseconds = workingMilliseconds(chatFunction);

export interface ChatDependencies {
  readonly models: ChatModels;
  readonly keepAliveMilliseconds?: number;
  readonly timeLimitMilliseconds?: number;
}

const hideUsage = (): undefined => undefined;

export const chatEndpoints = ({
  models,
  keepAliveMilliseconds = defaultKeepAliveMilliseconds,
  timeLimitMilliseconds = defaultTimeLimitMilliseconds,
}: ChatDependencies): Endpoint[] => {
  const stream = (request: ChatRequest, writer: EventWriter, { id, signal }: RequestFacts): Promise<Reply> =>
    streamChatCompletion(request, {
      models,
      signal,
      requestId: id,
      keepAliveMilliseconds,
      timeLimitMilliseconds,
      writer,
    });
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
    endpoint(createResponseOperation, ({ body, request: facts }) => {
      const request = readResponseRequest(body);
      const leftOut = (body.tools ?? []).flatMap(({ type }) => (type === "function" ? [] : type));
      if (leftOut.length > 0)
        logger.info("chat.tools_left_out", { request_id: facts.id, types: [...new Set(leftOut)] });
      return body.stream
        ? stream(request, new ResponseWriter(beginResponse(body)), facts)
        : createResponse(body, request, { models, signal: facts.signal });
    }),
    endpoint(listModelsOperation, () => listModels()),
    endpoint(retrieveModelOperation, ({ path }) => retrieveModel(path.id)),
  ];
};
