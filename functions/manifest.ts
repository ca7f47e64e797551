import { authFunction } from "./auth/contract.ts";
import { authorizerFunction } from "./authorizer/contract.ts";
import { callbackFunction } from "./callback/contract.ts";
import { canaryFunction } from "./canary/contract.ts";
import { chatFunction } from "./chat/definition.ts";
import { consoleFunction } from "./console/contract.ts";
import { docsFunction } from "./docs/contract.ts";
import { erasureFunction } from "./erasure/contract.ts";
import { exportFunction } from "./export/contract.ts";
import { jobWorkerFunction } from "./job-worker/contract.ts";
import { jobsFunction } from "./jobs/definition.ts";
import { languageFunction } from "./language/contract.ts";
import { legacyFunction } from "./legacy/definition.ts";
import { mailFunction } from "./mail/contract.ts";
import { mailFeedbackFunction } from "./mail-feedback/contract.ts";
import { mcpFunction } from "./mcp/contract.ts";
import { messagingFunction } from "./messaging/contract.ts";
import { operatorsFunction } from "./operators/contract.ts";
import { releaseCheckFunction } from "./release-check/contract.ts";
import { requestLogFunction } from "./request-log/contract.ts";
import { siteFunction } from "./site/contract.ts";
import { speechFunction } from "./speech/definition.ts";
import { sunsetFunction } from "./sunset/contract.ts";
import { transcriptionFunction } from "./transcription/definition.ts";
import { translateFunction } from "./translate/definition.ts";
import { uploadFunction } from "./upload/contract.ts";
import { webhookFunction } from "./webhook/contract.ts";

/** Every function of the service. Only these are deployed in every stage and documented. */
export const functionDefinitions = [
  authFunction,
  authorizerFunction,
  callbackFunction,
  canaryFunction,
  chatFunction,
  consoleFunction,
  docsFunction,
  erasureFunction,
  exportFunction,
  jobWorkerFunction,
  jobsFunction,
  languageFunction,
  legacyFunction,
  mailFunction,
  mailFeedbackFunction,
  mcpFunction,
  messagingFunction,
  operatorsFunction,
  requestLogFunction,
  siteFunction,
  speechFunction,
  sunsetFunction,
  transcriptionFunction,
  translateFunction,
  uploadFunction,
  webhookFunction,
] as const;

/** Every function that is built: the service's, and the one that checks releases. */
export const builtFunctions = [...functionDefinitions, releaseCheckFunction] as const;

/** Every route of the service. */
export const operations = functionDefinitions.flatMap((definition) => definition.operations);
