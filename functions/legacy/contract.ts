import * as z from "zod";
import {
  bucketEnvironment,
  chatBackendEnvironment,
  speechBackendEnvironment,
  tableEnvironment,
  tokenEnvironment,
  transcriptionBackendEnvironment,
} from "../../shared/config/environment.ts";
import { defineFunction } from "../../shared/config/function-definition.ts";
import { chatOperation, instructOperation, summariseOperation } from "./chat-contract.ts";
import { vendorHealthOperation } from "./health-contract.ts";
import { legacySettingsEnvironment } from "./settings.ts";
import * as speech from "./speech-contract.ts";
import * as transcription from "./transcription-contract.ts";
import * as voice from "./voice-contract.ts";

export const legacyFunction = defineFunction({
  name: "legacy",
  description: "The deprecated routes of version 1",
  operations: [
    transcription.transcribeOperation,
    transcription.transcribeUploadOperation,
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
    voice.voiceSpeechOperation,
    voice.voiceBatchOperation,
    voice.voicesOperation,
    voice.voicesOfLanguageOperation,
    vendorHealthOperation,
    chatOperation,
    instructOperation,
    summariseOperation,
  ],
  environment: z.object({
    ...tableEnvironment,
    ...tokenEnvironment,
    ...bucketEnvironment,
    ...chatBackendEnvironment,
    ...speechBackendEnvironment,
    ...transcriptionBackendEnvironment,
    ...legacySettingsEnvironment,
  }),
  memoryMegabytes: 1_024,
  // API Gateway waits five minutes for the first byte of an answer, and its own answer would lack the headers.
  timeoutSeconds: 290,
  transfer: "stream",
});
