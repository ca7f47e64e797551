import { createCallbackSecrets } from "../../shared/callbacks/callback-secrets.ts";
import { createDeliveryLog } from "../../shared/callbacks/deliveries.ts";
import { awsConfigOf, readEnvironment } from "../../shared/config/environment.ts";
import {
  idempotencyStoreFrom,
  itemTableFrom,
  limiterFrom,
  objectStoreFrom,
} from "../../shared/config/from-environment.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { openJobQueue } from "../../shared/jobs/job-queue.ts";
import { createJobsRepository } from "../../shared/jobs/jobs-repository.ts";
import { accountPoliciesWith } from "../../shared/limits/policies.ts";
import { openTable } from "../../shared/storage/table.ts";
import { createUploadsRepository } from "../../shared/uploads/uploads-repository.ts";
import { jobsFunction } from "./contract.ts";
import { jobEndpoints } from "./endpoints.ts";

const environment = readEnvironment(jobsFunction.environment, process.env);

const items = itemTableFrom(environment);

export const handler = createStreamingHandler(
  jobEndpoints({
    callbackSecrets: createCallbackSecrets(items),
    callbackRules: { allowLoopback: environment.CALLBACKS_ALLOW_LOOPBACK },
    deliveries: createDeliveryLog(items),
    jobs: createJobsRepository(openTable(environment.TABLE_NAME)),
    queue: openJobQueue(environment.JOB_QUEUE_URL, awsConfigOf(environment)),
    policyOf: accountPoliciesWith(environment.UNVERIFIED_QUOTA_SHARE),
    uploads: createUploadsRepository(items),
    store: objectStoreFrom(environment),
    basePath: new URL(environment.PUBLIC_BASE_URL).pathname.replace(/\/$/, ""),
  }),
  {
    limiter: limiterFrom(environment),
    idempotencyStore: idempotencyStoreFrom(environment),
    metricsNamespace: environment.METRICS_NAMESPACE,
  },
);
