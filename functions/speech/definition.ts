import { defineFunction } from "../../shared/http/function-definition.ts";
import * as environments from "../../shared/platform/config/environment.ts";
import {
  batchOperation,
  refreshLinkOperation,
  speechTimeoutSeconds,
  synthesizeOperation,
} from "./contract.ts";
import {
  createV1SpeechOperation,
  listV1SpeechModelsOperation,
  listV1VoicesOperation,
} from "./v1/contract.ts";
import { voicesOperation } from "./voices-contract.ts";

export const speechFunction = defineFunction({
  name: "speech",
  description: "Speech synthesis and voices",
  operations: [
    synthesizeOperation,
    batchOperation,
    voicesOperation,
    refreshLinkOperation,
    createV1SpeechOperation,
    listV1VoicesOperation,
    listV1SpeechModelsOperation,
  ],
  environment: {
    ...environments.accountRequestEnvironment,
    ...environments.tokenEnvironment,
    ...environments.speechBackendEnvironment,
    ...environments.speechPlatformEnvironment,
    ...environments.speechLifetimeEnvironment,
  },
  memoryMegabytes: 512,
  timeoutSeconds: speechTimeoutSeconds,
  transfer: "stream",
});
