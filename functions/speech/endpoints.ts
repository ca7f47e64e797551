import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { asking } from "./asking.ts";
import { batchOperation, refreshLinkOperation, synthesizeOperation, voicesOperation } from "./contract.ts";
import type { SpeechDependencies } from "./dependencies.ts";
import { listVoices } from "./list-voices.ts";
import { refreshLink } from "./refresh-link.ts";
import { streamAndStore, streamOnly } from "./stream-speech.ts";
import { synthesizeBatch } from "./synthesize-batch.ts";
import { synthesizeSpeech } from "./synthesize-speech.ts";

const synthesize = { url: synthesizeSpeech, stream: streamOnly, both: streamAndStore } as const;

/** The operations of speech, bound to their use cases. */
export const speechEndpoints = (dependencies: SpeechDependencies): Endpoint[] => [
  endpoint(synthesizeOperation, ({ body, caller, request }) =>
    synthesize[body.response_mode](body, asking(caller, request), dependencies),
  ),
  endpoint(batchOperation, ({ body, caller, request }) =>
    synthesizeBatch(body, asking(caller, request), dependencies),
  ),
  endpoint(voicesOperation, ({ query }) => listVoices(query.language)),
  endpoint(refreshLinkOperation, ({ query, caller }) =>
    refreshLink(query.storage_object, caller.userId, dependencies.store),
  ),
];
