import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { translateBatchOperation, translateOperation } from "./contract.ts";
import { translate } from "./translate.ts";
import { type BatchDependencies, translateBatch } from "./translate-batch.ts";

export const translateEndpoints = (dependencies: BatchDependencies): Endpoint[] => [
  endpoint(translateOperation, ({ body, request }) =>
    translate(body, { translator: dependencies.translator, signal: request.signal }),
  ),
  endpoint(translateBatchOperation, ({ body, caller: { userId }, request: { signal } }) =>
    translateBatch(body, { userId, signal }, dependencies),
  ),
];
