import { readAccess } from "../../shared/accounts/access/access.ts";
import { createBufferedHandler } from "../../shared/http/pipeline.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { accountDependenciesFrom } from "../../shared/wiring/accounts-from-environment.ts";
import { idempotencyStoreFrom, limiterFrom, requestTableFrom } from "../../shared/wiring/from-environment.ts";
import { authFunction } from "./contract.ts";
import { authEndpoints } from "./endpoints.ts";

const environment = readEnvironment(authFunction.environment, process.env);
const dependencies = accountDependenciesFrom(environment, requestTableFrom(environment));

export const handler = createBufferedHandler(
  authEndpoints({
    ...dependencies,
    findAccess: (credential) => readAccess(dependencies.table, credential),
  }),
  {
    limiter: limiterFrom(environment),
    idempotencyStore: idempotencyStoreFrom(environment),
    metricsNamespace: environment.METRICS_NAMESPACE,
  },
);
