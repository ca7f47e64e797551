import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { openTable } from "../../shared/platform/storage/sdk-table.ts";
import { createCallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import { createDeliveryLog } from "../../shared/recordings/callbacks/deliveries.ts";
import { createJobSpeeds } from "../../shared/recordings/jobs/capacity.ts";
import { openJobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { createJobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { createUploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import {
  accountPoliciesFrom,
  idempotencyStoreFrom,
  limiterFrom,
  objectStoreFrom,
  requestTableFrom,
} from "../../shared/wiring/from-environment.ts";
import { jobsFunction } from "./contract.ts";
import { jobEndpoints } from "./endpoints.ts";

const environment = readEnvironment(jobsFunction.environment, process.env);

const items = requestTableFrom(environment);
const table = openTable(environment.TABLE_NAME);

export const handler = createStreamingHandler(
  jobEndpoints({
    callbackSecrets: createCallbackSecrets(items),
    callbackRules: { allowLoopback: environment.CALLBACKS_ALLOW_LOOPBACK },
    deliveries: createDeliveryLog(items),
    jobs: createJobsRepository(table),
    speeds: {
      transcription: createJobSpeeds(table),
      translation: createJobSpeeds(table, Date.now, "translation"),
      speech: createJobSpeeds(table, Date.now, "speech"),
    },
    piecesAtOnce: environment.JOB_PIECES_AT_ONCE,
    queue: openJobQueue(environment.JOB_QUEUE_URL, awsConfigOf(environment)),
    policyOf: accountPoliciesFrom(environment),
    uploads: createUploadsRepository(items),
    store: objectStoreFrom(environment),
  }),
  {
    limiter: limiterFrom(environment),
    idempotencyStore: idempotencyStoreFrom(environment),
    metricsNamespace: environment.METRICS_NAMESPACE,
  },
);
