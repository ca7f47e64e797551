import { createBufferedHandler } from "../../shared/http/pipeline.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { createUploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import {
  findBearerFrom,
  limiterFrom,
  linkedStoreFrom,
  objectPartsFrom,
  requestTableFrom,
} from "../../shared/wiring/from-environment.ts";
import { uploadFunction } from "./contract.ts";
import { partedUploadEndpoints, uploadEndpoints } from "./endpoints.ts";

const environment = readEnvironment(uploadFunction.environment, process.env);

const store = linkedStoreFrom(environment);
const uploads = createUploadsRepository(requestTableFrom(environment));

export const handler = createBufferedHandler(
  [
    ...uploadEndpoints({ store, uploads, findBearer: findBearerFrom(environment, "upload") }),
    ...partedUploadEndpoints({ store, uploads, parts: objectPartsFrom(environment) }),
  ],
  { limiter: limiterFrom(environment), metricsNamespace: environment.METRICS_NAMESPACE },
);
