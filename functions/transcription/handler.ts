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
import { detectionEndpoints, transcriptionEndpoints } from "./endpoints.ts";
import { transcriptionEnvironment } from "./environment.ts";

const environment = readEnvironment(transcriptionEnvironment, process.env);

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
  [...transcriptionEndpoints(dependencies), ...detectionEndpoints(dependencies)],
  {
    verifyBearer: verifyBearerFrom(environment),
    furtherEndpoints: async () =>
      (await import("./further-endpoints.ts")).furtherTranscriptionEndpoints(dependencies),
    ...requestToolsFrom(environment),
  },
);
