import { defineFunction } from "../../shared/http/function-definition.ts";
import { createTranscriptionOperation, detectSpokenLanguageOperation } from "./contract.ts";
import { transcriptionEnvironment } from "./environment.ts";
import { createV1TranscriptionOperation, createV1TranslationOperation } from "./v1/contract.ts";

export const transcriptionFunction = defineFunction({
  name: "transcription",
  description: "Transcription",
  operations: [
    createTranscriptionOperation,
    detectSpokenLanguageOperation,
    createV1TranscriptionOperation,
    createV1TranslationOperation,
  ],
  environment: transcriptionEnvironment,
  // A recording of 100 MB passes through in pieces, within 200 MB. The rest buys processor time, which Lambda scales
  // with the memory: requests are decoded from base64, and MP3 files are measured frame by frame.
  memoryMegabytes: 512,
  // API Gateway waits five minutes for the first byte of a response, and the function must report its timeout before.
  timeoutSeconds: 290,
  transfer: "stream",
});
