import * as z from "zod";
import { defineFunction, service } from "../../shared/http/function-definition.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import {
  bucketEnvironment,
  chatBackendEnvironment,
  limitsEnvironment,
  speechBackendEnvironment,
  speechLifetimeEnvironment,
  speechPlatformEnvironment,
  tableEnvironment,
  tokenEnvironment,
  transcriptionBackendEnvironment,
} from "../../shared/platform/config/environment.ts";
import { optionalVariable, textVariable } from "../../shared/platform/config/variables.ts";
import { chatOperation, instructOperation, summariseOperation } from "./chat-contract.ts";
import * as speech from "./fixed-speaker-contract.ts";
import * as orpheus from "./orpheus-contract.ts";
import { legacySettingsEnvironment, replacedBy } from "./settings.ts";
import * as transcription from "./transcription-contract.ts";

export const vendorHealthOperation = defineOperation({
  id: "legacyVendorHealth",
  method: "GET",
  path: "/tasks/modal/health",
  summary: "Check the health of the service",
  ...replacedBy("/health"),
  auth: "public",
  limit: "reading",
  response: {
    status: 200,
    description: "The service is healthy",
    schema: z
      .object({
        status: z.literal("healthy").describe("Failures have another status"),
        service: z.string().meta({ example: service.name, description: "What runs here" }),
        version: z.string().meta({ example: service.apiVersion, description: "The version of the API" }),
      })
      .meta({ id: "LegacyHealth" }),
  },
  errors: ["gone"],
});

export const legacyFunction = defineFunction({
  name: "legacy",
  description: "The deprecated routes of version 1",
  operations: [
    transcription.transcribeOperation,
    transcription.transcribeUploadOperation,
    transcription.deleteTranscriptionOperation,
    transcription.transcribeForOrganizationOperation,
    transcription.vendorTranscribeOperation,
    speech.speechJobOperation,
    speech.vendorSpeechJobOperation,
    speech.vendorSpeechOperation,
    speech.alternativeSpeechOperation,
    speech.speechStreamOperation,
    speech.speechEventsOperation,
    speech.speakersOperation,
    speech.refreshUrlOperation,
    orpheus.orpheusSpeechOperation,
    orpheus.orpheusBatchOperation,
    orpheus.orpheusVoicesOperation,
    orpheus.orpheusVoicesOfLanguageOperation,
    vendorHealthOperation,
    chatOperation,
    instructOperation,
    summariseOperation,
  ],
  environment: {
    ...tableEnvironment,
    ...limitsEnvironment,
    ...tokenEnvironment,
    ...bucketEnvironment,
    ...chatBackendEnvironment,
    ...speechBackendEnvironment,
    ...speechPlatformEnvironment,
    ...speechLifetimeEnvironment,
    ...transcriptionBackendEnvironment,
    TRANSCRIPTION_ALTERNATIVE_MODEL: optionalVariable(textVariable),
    ...legacySettingsEnvironment,
  },
  memoryMegabytes: 1_024,
  // API Gateway waits five minutes for the first byte, and its own response would lack the headers.
  timeoutSeconds: 290,
  transfer: "stream",
});
