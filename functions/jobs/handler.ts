import { createCharacterQuota } from "../../shared/accounts/limits/character-quota.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { sourceLanguageDetectorOnDemand } from "../../shared/models/source-language/detector.ts";
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
  linkedStoreFrom,
  requestTableFrom,
  translatorFrom,
  verifyBearerFrom,
} from "../../shared/wiring/from-environment.ts";
import { jobsFunction } from "./contract.ts";
import { dialectEndpoints, jobEndpoints } from "./endpoints.ts";

const environment = readEnvironment(jobsFunction.environment, process.env);

const items = requestTableFrom(environment);
const table = openTable(environment.TABLE_NAME);

const policyOf = accountPoliciesFrom(environment);

const dependencies = {
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
  policyOf,
  uploads: createUploadsRepository(items),
  store: linkedStoreFrom(environment),
  translator: translatorFrom(environment),
  characters: createCharacterQuota(items, policyOf),
  sourceDetector: sourceLanguageDetectorOnDemand(),
};

export const handler = createStreamingHandler(
  [...jobEndpoints(dependencies), ...dialectEndpoints(dependencies)],
  {
    verifyBearer: verifyBearerFrom(environment),
    limiter: limiterFrom(environment),
    idempotencyStore: idempotencyStoreFrom(environment),
    metricsNamespace: environment.METRICS_NAMESPACE,
  },
);
