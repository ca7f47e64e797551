import { defineFunction } from "../../shared/http/function-definition.ts";
import {
  bucketEnvironment,
  callbackQueueEnvironment,
  jobQueueEnvironment,
  messageQueueEnvironment,
  tableEnvironment,
  transcriptionBackendEnvironment,
} from "../../shared/platform/config/environment.ts";
import { countVariable } from "../../shared/platform/config/variables.ts";

/**
 * How often a message is handed out before it is dead-lettered. The worker itself gives up what cannot be done long before;
 * what comes again because a model is down is sent anew.
 */
export const jobMessageAttempts = 100;

export const jobWorkerFunction = defineFunction({
  name: "job-worker",
  description: "Transcribes the recordings of jobs, piece by piece",
  operations: [],
  environment: {
    ...tableEnvironment,
    ...bucketEnvironment,
    ...jobQueueEnvironment,
    ...callbackQueueEnvironment,
    ...messageQueueEnvironment,
    ...transcriptionBackendEnvironment,
    /** How many pieces of recordings are transcribed at a time, of all accounts together. */
    JOB_PIECES_AT_ONCE: countVariable,
    /** How long a model may fail before the job fails. */
    JOB_FAILS_AFTER_SECONDS: countVariable,
    /** How long a model that cannot be reached is waited for. */
    JOB_WAITS_SECONDS: countVariable,
  },
  // A piece of 24 MB is held in memory while it is sent, and one environment works on one piece.
  memoryMegabytes: 512,
  // A piece takes no longer than the model's server may take for it.
  timeoutSeconds: 300,
  transfer: "buffered",
});
