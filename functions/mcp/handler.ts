import { encodeAudio } from "../../shared/audio/encode/encode-audio.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { wordOrderOnDemand } from "../../shared/models/spoken-language/word-order.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { connectionsOpened } from "../../shared/platform/outbound/connections.ts";
import {
  requestToolsFrom,
  synthesizerFrom,
  transcriberFrom,
  verifyBearerFrom,
} from "../../shared/wiring/from-environment.ts";
import { jobDependenciesFrom } from "../../shared/wiring/jobs-from-environment.ts";
import { languagesOperation } from "../docs/contract.ts";
import { listLanguages } from "../docs/list-languages.ts";
import { jobEndpoints } from "../jobs/endpoints.ts";
import { languageEndpoints } from "../language/endpoints.ts";
import { speechEndpoints } from "../speech/endpoints.ts";
import { agentTranscriptionEndpoints, detectionEndpoints } from "../transcription/endpoints.ts";
import { translateEndpoints } from "../translate/endpoints.ts";
import { languageModelOnDemand } from "../translate/language-model.ts";
import { createOperationCalls } from "./call-operation.ts";
import { mcpFunction } from "./contract.ts";
import { mcpEndpoints } from "./endpoints.ts";

const environment = readEnvironment(mcpFunction.environment, process.env);

const jobs = jobDependenciesFrom(environment);
const { store, uploads } = jobs;
const options = { verifyBearer: verifyBearerFrom(environment), ...requestToolsFrom(environment) };

const hearing = {
  ...{ transcriber: transcriberFrom(environment), uploads, store },
  ...{ detectsLanguages: jobs.detectsLanguages, detector: jobs.sourceDetector, wordOrder: wordOrderOnDemand },
};

/** The operations behind the tools, as their own functions bind them. */
const callOperation = createOperationCalls(
  [
    ...translateEndpoints(jobs),
    ...languageEndpoints({ model: languageModelOnDemand() }),
    ...agentTranscriptionEndpoints(hearing),
    ...detectionEndpoints(hearing),
    ...speechEndpoints({
      synthesizer: synthesizerFrom(environment),
      encode: encodeAudio,
      store,
      model: environment.SPEECH_MODEL,
      platform: environment.SPEECH_PLATFORM,
    }),
    ...jobEndpoints(jobs),
    endpoint(languagesOperation, listLanguages),
  ],
  options,
);

export const handler = createStreamingHandler(
  mcpEndpoints({
    callOperation,
    store,
    verifyBearer: options.verifyBearer,
    limiter: options.limiter,
    publicBaseUrl: environment.PUBLIC_BASE_URL,
  }),
  options,
);

await connectionsOpened();
