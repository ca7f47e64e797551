import { ApiError } from "./api-error.ts";
import type { Endpoint } from "./endpoint.ts";
import { createChatCompletion } from "./endpoints/create-chat-completion.ts";
import { createSpeech } from "./endpoints/create-speech.ts";
import { createTranscription } from "./endpoints/create-transcription.ts";
import { listModels } from "./endpoints/list-models.ts";
import type { Synthesise } from "./speech/utterance.ts";

/** Every endpoint of the sample server; a new one is a file in `endpoints/` and a line here. */
export function listEndpoints(synthesise: Synthesise): readonly Endpoint[] {
  return [listModels, createChatCompletion, createSpeech(synthesise), createTranscription];
}

/** The endpoint for a request. Throws an `ApiError`: 404 for an unknown path, 405 for another method. */
export function findEndpoint(endpoints: readonly Endpoint[], method: string, path: string): Endpoint {
  const onPath = endpoints.filter((endpoint) => endpoint.path === path);
  const endpoint = onPath.find((candidate) => candidate.method === method);
  if (endpoint) return endpoint;
  if (onPath.length === 0) {
    throw new ApiError(404, `Unknown request URL: ${method} ${path}.`, { code: "unknown_url" });
  }
  const allow = onPath.map((candidate) => candidate.method).join(", ");
  const message = `${method} is not allowed on ${path}.`;
  throw new ApiError(405, message, { code: "method_not_supported", headers: { allow } });
}
