import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { type SpeechDependencies, speechContext } from "../speech/dependencies.ts";
import { refreshLink } from "../speech/stored-speech.ts";
import { listVoices } from "../speech/voices.ts";
import { legacyTimeoutSeconds } from "./environment.ts";
import * as speech from "./fixed-speaker-contract.ts";
import {
  type SynthesizeSpoken,
  synthesizeAsJob,
  synthesizeInEvents,
  synthesizeInMode,
  synthesizeToStream,
} from "./fixed-speaker-speech.ts";
import { speakers } from "./fixed-speakers.ts";
import * as orpheus from "./orpheus-contract.ts";
import { synthesizeOrpheusBatch, synthesizeOrpheusSpeech } from "./orpheus-speech.ts";
import { applySettings, defaultLegacySettings, type LegacySettings } from "./settings.ts";

const context = speechContext({ timeoutSeconds: legacyTimeoutSeconds });

const fixedSpeakerEndpoints = (dependencies: SpeechDependencies): Endpoint[] => {
  const job = (operation: typeof speech.speechJobOperation) =>
    endpoint(operation, ({ body, caller, request }) =>
      synthesizeAsJob(body, context(caller, request), dependencies),
    );
  const spoken = (operation: typeof speech.vendorSpeechOperation, synthesize: SynthesizeSpoken) =>
    endpoint(operation, ({ body, caller, request }) =>
      synthesize(body, context(caller, request), dependencies),
    );
  return [
    job(speech.speechJobOperation),
    job(speech.vendorSpeechJobOperation),
    spoken(speech.vendorSpeechOperation, synthesizeInMode),
    spoken(speech.alternativeSpeechOperation, synthesizeInMode),
    spoken(speech.speechStreamOperation, synthesizeToStream),
    spoken(speech.speechEventsOperation, synthesizeInEvents),
    endpoint(speech.speakersOperation, () => ({
      speakers: speakers.map(({ languageCode, ...speaker }) => speaker),
    })),
    endpoint(speech.refreshUrlOperation, async ({ query, caller }) => {
      const fresh = await refreshLink(query.file_name, caller.userId, dependencies, "file_name");
      return {
        success: true as const,
        audio_url: fresh.audio_url,
        expires_at: fresh.audio_url_expires_at,
        file_name: fresh.storage_object,
      };
    }),
  ];
};

const orpheusEndpoints = (dependencies: SpeechDependencies): Endpoint[] => [
  endpoint(orpheus.orpheusSpeechOperation, ({ body, caller, request }) =>
    synthesizeOrpheusSpeech(body, context(caller, request), dependencies),
  ),
  endpoint(orpheus.orpheusBatchOperation, ({ body, caller, request }) =>
    synthesizeOrpheusBatch(body.items, context(caller, request), dependencies),
  ),
  endpoint(orpheus.orpheusVoicesOperation, () => listVoices(undefined)),
  endpoint(orpheus.orpheusVoicesOfLanguageOperation, ({ path }) => listVoices(path.language)),
];

/** Binds the deprecated operations that speak, with the settings of a stage. */
export const furtherLegacyEndpoints = (
  dependencies: SpeechDependencies,
  settings: LegacySettings = defaultLegacySettings,
): Endpoint[] =>
  [...fixedSpeakerEndpoints(dependencies), ...orpheusEndpoints(dependencies)].map((bound) =>
    applySettings(bound, settings),
  );
