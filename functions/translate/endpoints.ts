import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { translateBatchOperation, translateOperation } from "./contract.ts";
import { translate } from "./translate.ts";
import { translateBatch } from "./translate-batch.ts";
import type { TextDependencies } from "./translate-texts.ts";

export const translateEndpoints = (dependencies: TextDependencies): Endpoint[] => [
  endpoint(translateOperation, ({ body, request }) => translate(body, request.signal, dependencies)),
  endpoint(translateBatchOperation, ({ body, caller: { userId }, request: { signal } }) =>
    translateBatch(body, { userId, signal }, dependencies),
  ),
];
