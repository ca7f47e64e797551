import { readEnvironment } from "../../shared/config/environment.ts";
import {
  findBearerFrom,
  itemTableFrom,
  limiterFrom,
  objectStoreFrom,
} from "../../shared/config/from-environment.ts";
import { createBufferedHandler } from "../../shared/http/pipeline.ts";
import { createUploadsRepository } from "../../shared/uploads/uploads-repository.ts";
import { uploadFunction } from "./contract.ts";
import { uploadEndpoints } from "./endpoints.ts";

const environment = readEnvironment(uploadFunction.environment, process.env);

export const handler = createBufferedHandler(
  uploadEndpoints({
    store: objectStoreFrom(environment),
    uploads: createUploadsRepository(itemTableFrom(environment)),
    findBearer: findBearerFrom(environment, "upload"),
  }),
  { limiter: limiterFrom(environment), metricsNamespace: environment.METRICS_NAMESPACE },
);
