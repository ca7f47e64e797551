import { readEnvironment } from "../../shared/config/environment.ts";
import { idempotencyStoreFrom, limiterFrom } from "../../shared/config/from-environment.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { loadLanguageModel } from "../../shared/language-id/model.ts";
import { readWeights } from "../../shared/language-id/weights.ts";
import { connectionsOpened } from "../../shared/outbound/connections.ts";
import { languageFunction } from "./contract.ts";
import { languageEndpoints } from "./endpoints.ts";

const environment = readEnvironment(languageFunction.environment, process.env);

// While the function starts it has a whole CPU, whatever its memory: the model is loaded then, not on the first call.
export const handler = createStreamingHandler(
  languageEndpoints({ model: loadLanguageModel(readWeights()) }),
  {
    limiter: limiterFrom(environment),
    idempotencyStore: idempotencyStoreFrom(environment),
    metricsNamespace: environment.METRICS_NAMESPACE,
  },
);

await connectionsOpened();
