import { encodeAudio } from "../../shared/audio/encode/encode-audio.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import {
  linkedStoreFrom,
  requestToolsFrom,
  synthesizerFrom,
  verifyBearerFrom,
} from "../../shared/wiring/from-environment.ts";
import { speechFunction } from "./definition.ts";
import { speechEndpoints, v1SpeechEndpoints } from "./endpoints.ts";

const environment = readEnvironment(speechFunction.environment, process.env);

const dependencies = {
  synthesizer: synthesizerFrom(environment),
  encode: encodeAudio,
  store: linkedStoreFrom(environment),
  model: environment.SPEECH_MODEL,
  platform: environment.SPEECH_PLATFORM,
  speechLifetimeDays: environment.SPEECH_LIFETIME_DAYS,
};

export const handler = createStreamingHandler(
  [...speechEndpoints(dependencies), ...v1SpeechEndpoints(dependencies)],
  { verifyBearer: verifyBearerFrom(environment), ...requestToolsFrom(environment) },
);
