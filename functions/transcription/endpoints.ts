import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import {
  agentTranscriptionOperation,
  createTranscriptionOperation,
  detectSpokenLanguageOperation,
} from "./contract.ts";
import { type DetectionDependencies, detectLanguage } from "./detect-language.ts";
import {
  type TranscriptionDependencies,
  transcribe,
  transcribeForAgent,
  type UnnamedTranscriptionDependencies,
} from "./transcribe.ts";

export const transcriptionEndpoints = (dependencies: TranscriptionDependencies): Endpoint[] => [
  endpoint(createTranscriptionOperation, ({ body, caller, request }) =>
    transcribe(body, { userId: caller.userId, signal: request.signal }, dependencies),
  ),
];

export const agentTranscriptionEndpoints = (dependencies: UnnamedTranscriptionDependencies): Endpoint[] => [
  endpoint(agentTranscriptionOperation, ({ body, caller, request }) =>
    transcribeForAgent(body, { ...caller, signal: request.signal }, dependencies),
  ),
];

export const detectionEndpoints = (dependencies: DetectionDependencies): Endpoint[] => [
  endpoint(detectSpokenLanguageOperation, ({ body, caller, request }) =>
    detectLanguage(body, { ...caller, signal: request.signal }, dependencies),
  ),
];
