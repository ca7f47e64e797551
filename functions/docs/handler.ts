import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { docsFunction } from "./contract.ts";
import { docsEndpoints } from "./endpoints.ts";

const environment = readEnvironment(docsFunction.environment, process.env);

export const handler = createStreamingHandler(
  docsEndpoints({
    vendors: environment.LEGACY_VENDORS,
    publicBaseUrl: environment.PUBLIC_BASE_URL,
  }),
  { metricsNamespace: environment.METRICS_NAMESPACE },
);
