import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import { type ChatDependencies, streamWith } from "./endpoints.ts";
import { beginResponse, createResponse } from "./v1/create-response.ts";
import { listModels, retrieveModel } from "./v1/list-models.ts";
import { listModelsOperation, retrieveModelOperation } from "./v1/models-contract.ts";
import { readResponseRequest } from "./v1/read-request.ts";
import { createResponseOperation } from "./v1/responses-contract.ts";
import { ResponseWriter } from "./v1/write-response.ts";

/** OpenAI's responses and lists of models. */
export const furtherChatEndpoints = (dependencies: ChatDependencies): Endpoint[] => {
  const { models } = dependencies;
  const stream = streamWith(dependencies);
  return [
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
