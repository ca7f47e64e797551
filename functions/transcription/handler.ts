import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { sourceLanguageDetectorOnDemand } from "../../shared/models/source-language/detector.ts";
import { wordOrderOnDemand } from "../../shared/models/spoken-language/word-order.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { createUploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import {
  objectStoreFrom,
  requestTableFrom,
  requestToolsFrom,
  transcriberFrom,
  translatorFrom,
  verifyBearerFrom,
} from "../../shared/wiring/from-environment.ts";
import { transcriptionFunction } from "./definition.ts";
import { detectionEndpoints, transcriptionEndpoints, v1TranscriptionEndpoints } from "./endpoints.ts";

const environment = readEnvironment(transcriptionFunction.environment, process.env);

const dependencies = {
  transcriber: transcriberFrom(environment),
  detectsLanguages: environment.TRANSCRIPTION_FEATURES.detectsLanguages,
  detector: sourceLanguageDetectorOnDemand(),
  wordOrder: wordOrderOnDemand,
  translator: translatorFrom(environment),
  uploads: createUploadsRepository(requestTableFrom(environment)),
  store: objectStoreFrom(environment),
};

export const handler = createStreamingHandler(
  [transcriptionEndpoints, detectionEndpoints, v1TranscriptionEndpoints].flatMap((bind) =>
    bind(dependencies),
  ),
  { verifyBearer: verifyBearerFrom(environment), ...requestToolsFrom(environment) },
);
