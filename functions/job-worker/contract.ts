import { defineFunction } from "../../shared/http/function-definition.ts";
import {
  bucketEnvironment,
  callbackQueueEnvironment,
  jobQueueEnvironment,
  messageQueueEnvironment,
  speechBackendEnvironment,
  tableEnvironment,
  transcriptionBackendEnvironment,
  transcriptionFeaturesEnvironment,
  translationBackendEnvironment,
} from "../../shared/platform/config/environment.ts";
import { countVariable } from "../../shared/platform/config/variables.ts";

/**
 * Deliveries of a message before it goes to the dead-letter queue. The worker gives up on a failing piece long before that,
 * and replaces messages that wait for a model.
 */
export const jobMessageAttempts = 100;

export const jobWorkerFunction = defineFunction({
  name: "job-worker",
  description:
    "Transcribes the recordings of jobs, translates and speaks their transcripts, and translates documents, piece by piece",
  operations: [],
  environment: {
    ...tableEnvironment,
    ...bucketEnvironment,
    ...jobQueueEnvironment,
    ...callbackQueueEnvironment,
    ...messageQueueEnvironment,
    ...transcriptionBackendEnvironment,
    ...transcriptionFeaturesEnvironment,
    ...translationBackendEnvironment,
    ...speechBackendEnvironment,
    /** How many pieces all accounts together may have in progress. */
    JOB_PIECES_AT_ONCE: countVariable,
    /** How long a model may fail before the job fails. */
    JOB_FAILS_AFTER_SECONDS: countVariable,
    /** How long to wait for an unreachable model. */
    JOB_WAITS_SECONDS: countVariable,
  },
  // Each environment holds one piece of 24 MB, or a document: reading one with the most parts takes up to 700 MB.
  memoryMegabytes: 1_024,
  // The time limit of the model's server for one piece.
  timeoutSeconds: 300,
  transfer: "buffered",
});
