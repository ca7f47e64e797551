import { encodeAudio } from "../../shared/audio/encode/encode-audio.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { wordOrderOnDemand } from "../../shared/models/spoken-language/word-order.ts";
import type { readEnvironment } from "../../shared/platform/config/environment.ts";
import { synthesizerFrom, transcriberFrom } from "../../shared/wiring/from-environment.ts";
import { jobDependenciesFrom } from "../../shared/wiring/jobs-from-environment.ts";
import { jobEndpoints } from "../jobs/endpoints.ts";
import { speechEndpoints } from "../speech/endpoints.ts";
import { agentTranscriptionEndpoints, detectionEndpoints } from "../transcription/endpoints.ts";
import type { mcpFunction } from "./contract.ts";

/** The operations behind the tools for recordings, speech and jobs. */
export const furtherToolEndpoints = (
  environment: ReturnType<typeof readEnvironment<typeof mcpFunction.environment>>,
): Endpoint[] => {
  const jobs = jobDependenciesFrom(environment);
  const { store, uploads } = jobs;
  const hearing = {
    ...{ transcriber: transcriberFrom(environment), uploads, store },
    ...{
      detectsLanguages: jobs.detectsLanguages,
      detector: jobs.sourceDetector,
      wordOrder: wordOrderOnDemand,
    },
  };
  return [
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
  ];
};
