import { passOnAsWav } from "../../shared/audio/encode/audio-formats.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { createUploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import {
  chatModelsFrom,
  linkedStoreFrom,
  requestTableFrom,
  requestToolsFrom,
  synthesizerFrom,
  transcriberFrom,
  verifyBearerFrom,
} from "../../shared/wiring/from-environment.ts";
import { legacyFunction } from "./contract.ts";
import { legacyEndpoints } from "./endpoints.ts";
import { createSavedTranscriptions } from "./saved-transcriptions.ts";

const environment = readEnvironment(legacyFunction.environment, process.env);
const table = requestTableFrom(environment);
const store = linkedStoreFrom(environment);

const { TRANSCRIPTION_ALTERNATIVE_MODEL: alternativeModel } = environment;

const endpoints = legacyEndpoints(
  {
    models: chatModelsFrom(environment),
    speech: {
      synthesizer: synthesizerFrom(environment),
      // Version 1 has no other format, so this function needs no codecs.
      encode: async (_format, speech) => passOnAsWav(speech),
      store,
      model: environment.SPEECH_MODEL,
      platform: environment.SPEECH_PLATFORM,
      speechLifetimeDays: environment.SPEECH_LIFETIME_DAYS,
    },
    transcription: {
      transcriber: transcriberFrom(environment),
      alternative: alternativeModel
        ? transcriberFrom({ ...environment, TRANSCRIPTION_MODEL: alternativeModel })
        : undefined,
      store,
      uploads: createUploadsRepository(table),
      saved: createSavedTranscriptions(table),
    },
  },
  {
    vendors: environment.LEGACY_VENDORS,
    sunset: environment.LEGACY_SUNSET,
    providerRoutes: environment.LEGACY_PROVIDER_ROUTES,
  },
);

export const handler = createStreamingHandler(endpoints, {
  verifyBearer: verifyBearerFrom(environment),
  ...requestToolsFrom(environment),
});
