import { createCharacterQuota } from "../accounts/limits/character-quota.ts";
import { sourceLanguageDetectorOnDemand } from "../models/source-language/detector.ts";
import {
  awsConfigOf,
  type bucketEnvironment,
  type callbackRulesEnvironment,
  type jobQueueEnvironment,
  type limitsEnvironment,
  type PlatformEnvironment,
  type tableEnvironment,
  type transcriptionFeaturesEnvironment,
  type translationBackendEnvironment,
} from "../platform/config/environment.ts";
import type { VariableValues } from "../platform/config/variables.ts";
import { createCallbackSecrets } from "../recordings/callbacks/callback-secrets.ts";
import { callbackRulesOf } from "../recordings/callbacks/callback-url.ts";
import { createDeliveryLog } from "../recordings/callbacks/deliveries.ts";
import { createJobSpeeds } from "../recordings/jobs/capacity.ts";
import { openJobQueue } from "../recordings/jobs/job-queue.ts";
import { createJobsRepository } from "../recordings/jobs/jobs-repository.ts";
import { createUploadsRepository } from "../recordings/uploads/uploads-repository.ts";
import {
  accountPoliciesFrom,
  linkedStoreFrom,
  requestTableFrom,
  translatorFrom,
} from "./from-environment.ts";

type JobVariables = PlatformEnvironment &
  VariableValues<
    typeof tableEnvironment &
      typeof limitsEnvironment &
      typeof bucketEnvironment &
      typeof callbackRulesEnvironment &
      typeof jobQueueEnvironment &
      typeof transcriptionFeaturesEnvironment &
      typeof translationBackendEnvironment
  > & { readonly JOB_PIECES_AT_ONCE: number };

/** What functions need that create, show and cancel jobs. */
export const jobDependenciesFrom = (environment: JobVariables) => {
  const table = requestTableFrom(environment);
  const policyOf = accountPoliciesFrom(environment);
  return {
    callbackSecrets: createCallbackSecrets(table),
    callbackRules: callbackRulesOf(environment),
    deliveries: createDeliveryLog(table),
    jobs: createJobsRepository(table),
    speeds: createJobSpeeds(table),
    piecesAtOnce: environment.JOB_PIECES_AT_ONCE,
    queue: openJobQueue(environment.JOB_QUEUE_URL, awsConfigOf(environment)),
    policyOf,
    ...environment.TRANSCRIPTION_FEATURES,
    uploads: createUploadsRepository(table),
    store: linkedStoreFrom(environment),
    translator: translatorFrom(environment),
    characters: createCharacterQuota(table, policyOf),
    sourceDetector: sourceLanguageDetectorOnDemand(),
  };
};
