import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { createTranscriptionOperation } from "./contract.ts";
import { type TranscriptionDependencies, transcribe } from "./transcribe.ts";

/** The operation of transcription, bound to its use case. */
export const transcriptionEndpoints = (dependencies: TranscriptionDependencies): Endpoint[] => [
  endpoint(createTranscriptionOperation, ({ body, caller, request }) =>
    transcribe(body, { userId: caller.userId, signal: request.signal }, dependencies),
  ),
];
