import { readEnvironment } from "../../shared/config/environment.ts";
import {
  itemTableFrom,
  limiterFrom,
  namedRequestsFrom,
  objectStoreFrom,
  transcriberFrom,
} from "../../shared/config/from-environment.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { createUploadsRepository } from "../../shared/uploads/uploads-repository.ts";
import { transcriptionFunction } from "./contract.ts";
import { transcriptionEndpoints } from "./endpoints.ts";

const environment = readEnvironment(transcriptionFunction.environment, process.env);

export const handler = createStreamingHandler(
  transcriptionEndpoints({
    transcriber: transcriberFrom(environment),
    uploads: createUploadsRepository(itemTableFrom(environment)),
    store: objectStoreFrom(environment),
  }),
  {
    limiter: limiterFrom(environment),
    namedRequests: namedRequestsFrom(environment),
    metricsNamespace: environment.METRICS_NAMESPACE,
  },
);
