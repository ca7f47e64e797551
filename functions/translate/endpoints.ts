import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { translateBatchOperation, translateOperation } from "./contract.ts";
import { translate } from "./translate.ts";
import { translateBatch } from "./translate-batch.ts";
import type { TextDependencies } from "./translate-texts.ts";

export const translateEndpoints = (dependencies: TextDependencies): Endpoint[] => [
  endpoint(translateOperation, ({ body, request }) =>
    translate(body, { translator: dependencies.translator, signal: request.signal }),
  ),
  endpoint(translateBatchOperation, ({ body, caller: { userId }, request: { signal } }) =>
    translateBatch(body, { userId, signal }, dependencies),
  ),
];
