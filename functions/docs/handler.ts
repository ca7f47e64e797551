import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { docsFunction } from "./contract.ts";
import { docsEndpoints } from "./endpoints.ts";

const environment = readEnvironment(docsFunction.environment, process.env);

export const handler = createStreamingHandler(
  docsEndpoints({
    vendors: { a: environment.LEGACY_VENDOR_A, b: environment.LEGACY_VENDOR_B },
    publicBaseUrl: environment.PUBLIC_BASE_URL,
  }),
  { metricsNamespace: environment.METRICS_NAMESPACE },
);
