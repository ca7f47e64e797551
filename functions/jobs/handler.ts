import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { idempotencyStoreFrom, limiterFrom, verifyBearerFrom } from "../../shared/wiring/from-environment.ts";
import { jobDependenciesFrom } from "../../shared/wiring/jobs-from-environment.ts";
import { jobsFunction } from "./definition.ts";
import { dialectEndpoints, jobEndpoints } from "./endpoints.ts";

const environment = readEnvironment(jobsFunction.environment, process.env);
const dependencies = jobDependenciesFrom(environment);

export const handler = createStreamingHandler(
  [...jobEndpoints(dependencies), ...dialectEndpoints(dependencies)],
  {
    verifyBearer: verifyBearerFrom(environment),
    limiter: limiterFrom(environment),
    idempotencyStore: idempotencyStoreFrom(environment),
    metricsNamespace: environment.METRICS_NAMESPACE,
  },
);
