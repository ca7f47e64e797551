import { readEnvironment } from "../../shared/config/environment.ts";
import { createBufferedHandler } from "../../shared/http/pipeline.ts";
import { docsFunction } from "./contract.ts";
import { docsEndpoints } from "./endpoints.ts";

const environment = readEnvironment(docsFunction.environment, process.env);

export const handler = createBufferedHandler(
  docsEndpoints({ a: environment.LEGACY_VENDOR_A, b: environment.LEGACY_VENDOR_B }),
  { metricsNamespace: environment.METRICS_NAMESPACE },
);
