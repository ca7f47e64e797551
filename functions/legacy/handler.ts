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
import type { SpeechDependencies } from "../speech/dependencies.ts";
import { legacyEndpoints } from "./endpoints.ts";
import { legacyEnvironment } from "./environment.ts";
import { createSavedTranscriptions } from "./saved-transcriptions.ts";

const environment = readEnvironment(legacyEnvironment, process.env);
const table = requestTableFrom(environment);
const store = linkedStoreFrom(environment);

const { TRANSCRIPTION_ALTERNATIVE_MODEL: alternativeModel } = environment;

const speech: SpeechDependencies = {
  synthesizer: synthesizerFrom(environment),
  // Version 1 has no other format, so this function needs no codecs.
  encode: async (_format, samples) => passOnAsWav(samples),
  store,
  model: environment.SPEECH_MODEL,
  platform: environment.SPEECH_PLATFORM,
  speechLifetimeDays: environment.SPEECH_LIFETIME_DAYS,
};

const settings = {
  vendors: environment.LEGACY_VENDORS,
  sunset: environment.LEGACY_SUNSET,
  providerRoutes: environment.LEGACY_PROVIDER_ROUTES,
};

export const handler = createStreamingHandler(
  legacyEndpoints(
    {
      models: chatModelsFrom(environment),
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
    settings,
  ),
  {
    verifyBearer: verifyBearerFrom(environment),
    furtherEndpoints: async () =>
      (await import("./further-endpoints.ts")).furtherLegacyEndpoints(speech, settings),
    ...requestToolsFrom(environment),
  },
);
