import { defineFunction } from "../../shared/http/function-definition.ts";
import * as environments from "../../shared/platform/config/environment.ts";
import { countVariable } from "../../shared/platform/config/variables.ts";
import {
  addTargetsOperation,
  createJobOperation,
  deleteJobOperation,
  getJobOperation,
  getJobResultOperation,
  listJobsOperation,
} from "./contract.ts";
import {
  deeplDocumentOperation,
  deeplDocumentResultOperation,
  deeplDocumentStatusOperation,
} from "./deepl/contract.ts";
import { libreTranslateFileOperation } from "./libretranslate/contract.ts";

export const jobsFunction = defineFunction({
  name: "jobs",
  description: "Jobs that transcribe and translate long recordings, and translate documents",
  operations: [
    createJobOperation,
    listJobsOperation,
    getJobOperation,
    getJobResultOperation,
    addTargetsOperation,
    deleteJobOperation,
    deeplDocumentOperation,
    deeplDocumentStatusOperation,
    deeplDocumentResultOperation,
    libreTranslateFileOperation,
  ],
  environment: {
    ...environments.tableEnvironment,
    ...environments.limitsEnvironment,
    ...environments.bucketEnvironment,
    ...environments.jobQueueEnvironment,
    ...environments.transcriptionFeaturesEnvironment,
    ...environments.callbackRulesEnvironment,
    ...environments.tokenEnvironment,
    ...environments.translationBackendEnvironment,
    /** How many pieces all accounts together may have in progress. */
    JOB_PIECES_AT_ONCE: countVariable,
  },
  // Reading a document of the maximum size takes up to 700 MB.
  memoryMegabytes: 1_024,
  // The length of some containers is known only after reading the whole file.
  timeoutSeconds: 120,
  transfer: "stream",
});
