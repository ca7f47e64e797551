import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { createV1TranscriptionOperation, createV1TranslationOperation } from "./v1/contract.ts";
import { createV1Transcription } from "./v1/create-transcription.ts";
import { type AudioTranslationDependencies, createV1Translation } from "./v1/create-translation.ts";

/** The routes for clients of OpenAI. */
export const furtherTranscriptionEndpoints = (dependencies: AudioTranslationDependencies): Endpoint[] => [
  endpoint(createV1TranscriptionOperation, ({ body, caller, request }) =>
    createV1Transcription(body, { ...caller, signal: request.signal }, request.id, dependencies),
  ),
  endpoint(createV1TranslationOperation, ({ body, caller, request }) =>
    createV1Translation(body, { ...caller, signal: request.signal }, dependencies),
  ),
];
