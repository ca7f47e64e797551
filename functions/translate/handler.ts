import { readEnvironment } from "../../shared/config/environment.ts";
import { idempotencyStoreFrom, limiterFrom, translatorFrom } from "../../shared/config/from-environment.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { connectionsOpened } from "../../shared/outbound/connections.ts";
import { translateFunction } from "./contract.ts";
import { translateEndpoints } from "./endpoints.ts";

const environment = readEnvironment(translateFunction.environment, process.env);

export const handler = createStreamingHandler(
  translateEndpoints({ translator: translatorFrom(environment) }),
  {
    limiter: limiterFrom(environment),
    idempotencyStore: idempotencyStoreFrom(environment),
    metricsNamespace: environment.METRICS_NAMESPACE,
  },
);

await connectionsOpened();
