import type { AudioFormat } from "../../shared/audio/encode/audio-formats.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint, RequestFacts } from "../../shared/http/exchange.ts";
import {
  batchOperation,
  refreshLinkOperation,
  speechTimeoutSeconds,
  synthesizeOperation,
} from "./contract.ts";
import { type SpeechDependencies, speechContext } from "./dependencies.ts";
import { refreshLink } from "./stored-speech.ts";
import { streamAndStore, streamOnly } from "./stream-speech.ts";
import { synthesizeBatch } from "./synthesize-batch.ts";
import { synthesizeSpeech } from "./synthesize-speech.ts";
import {
  createV1SpeechOperation,
  listV1SpeechModelsOperation,
  listV1VoicesOperation,
} from "./v1/contract.ts";
import { createV1Speech, listV1SpeechModels, listV1Voices } from "./v1/create-speech.ts";
import { listVoices } from "./voices.ts";
import { voicesOperation } from "./voices-contract.ts";

const synthesize = { url: synthesizeSpeech, stream: streamOnly, both: streamAndStore } as const;

const context = speechContext({ timeoutSeconds: speechTimeoutSeconds });

/** The format when a request names none: clients that pay for every megabyte can say so in a header. */
const formatOf = (
  requested: AudioFormat | null | undefined,
  { headers: { "save-data": saveData } }: RequestFacts,
): AudioFormat => requested ?? (saveData?.trim().toLowerCase() === "on" ? "opus" : "wav");

export const speechEndpoints = (dependencies: SpeechDependencies): Endpoint[] => [
  endpoint(synthesizeOperation, ({ body, caller, request }) =>
    synthesize[body.response_mode](
      body,
      context(caller, request, formatOf(body.audio_format, request)),
      dependencies,
    ),
  ),
  endpoint(batchOperation, ({ body, caller, request }) =>
    synthesizeBatch(body, context(caller, request, formatOf(body.audio_format, request)), dependencies),
  ),
  endpoint(voicesOperation, ({ query }) => listVoices(query.language)),
  endpoint(refreshLinkOperation, ({ query, caller }) =>
    refreshLink(query.storage_object, caller.userId, dependencies),
  ),
];

export const v1SpeechEndpoints = (dependencies: SpeechDependencies): Endpoint[] => [
  endpoint(createV1SpeechOperation, ({ body, caller, request }) =>
    createV1Speech(
      body,
      {
        ...context(caller, request, body.response_format ?? "mp3"),
        defaultLanguage: caller.defaultLanguage,
        requestId: request.id,
      },
      dependencies,
    ),
  ),
  endpoint(listV1VoicesOperation, listV1Voices),
  endpoint(listV1SpeechModelsOperation, listV1SpeechModels),
];
