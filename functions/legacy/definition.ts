import { defineFunction } from "../../shared/http/function-definition.ts";
import { chatOperation, instructOperation, summariseOperation } from "./chat-contract.ts";
import { vendorHealthOperation } from "./contract.ts";
import { legacyEnvironment, legacyTimeoutSeconds } from "./environment.ts";
import * as speech from "./fixed-speaker-contract.ts";
import * as orpheus from "./orpheus-contract.ts";
import * as transcription from "./transcription-contract.ts";

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
  environment: legacyEnvironment,
  memoryMegabytes: 1_024,
  timeoutSeconds: legacyTimeoutSeconds,
  transfer: "stream",
});
