import { createCharacterQuota } from "../../shared/accounts/limits/character-quota.ts";
import { encodeAudio } from "../../shared/audio/encode/encode-audio.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { sourceLanguageDetectorOnDemand } from "../../shared/models/source-language/detector.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { connectionsOpened } from "../../shared/platform/outbound/connections.ts";
import { createCallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import { createDeliveryLog } from "../../shared/recordings/callbacks/deliveries.ts";
import { createJobSpeeds } from "../../shared/recordings/jobs/capacity.ts";
import { openJobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { createJobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { createUploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import {
  accountPoliciesFrom,
  linkedStoreFrom,
  requestTableFrom,
  requestToolsFrom,
  synthesizerFrom,
  transcriberFrom,
  translatorFrom,
  verifyBearerFrom,
} from "../../shared/wiring/from-environment.ts";
import { languagesOperation } from "../docs/contract.ts";
import { listLanguages } from "../docs/list-languages.ts";
import { jobEndpoints } from "../jobs/endpoints.ts";
import { languageEndpoints } from "../language/endpoints.ts";
import { speechEndpoints } from "../speech/endpoints.ts";
import { transcriptionEndpoints } from "../transcription/endpoints.ts";
import { translateEndpoints } from "../translate/endpoints.ts";
import { languageModelOnDemand } from "../translate/language-model.ts";
import { createOperationCalls } from "./call-operation.ts";
import { mcpFunction } from "./contract.ts";
import { mcpEndpoints } from "./endpoints.ts";

const environment = readEnvironment(mcpFunction.environment, process.env);

const table = requestTableFrom(environment);
const store = linkedStoreFrom(environment);
const translator = translatorFrom(environment);
const sourceDetector = sourceLanguageDetectorOnDemand();
const uploads = createUploadsRepository(table);
const policyOf = accountPoliciesFrom(environment);
const characters = createCharacterQuota(table, policyOf);
const options = { verifyBearer: verifyBearerFrom(environment), ...requestToolsFrom(environment) };

const jobs = {
  callbackSecrets: createCallbackSecrets(table),
  callbackRules: { allowLoopback: environment.CALLBACKS_ALLOW_LOOPBACK },
  deliveries: createDeliveryLog(table),
  jobs: createJobsRepository(table),
  speeds: {
    transcription: createJobSpeeds(table),
    translation: createJobSpeeds(table, Date.now, "translation"),
    speech: createJobSpeeds(table, Date.now, "speech"),
  },
  piecesAtOnce: environment.JOB_PIECES_AT_ONCE,
  queue: openJobQueue(environment.JOB_QUEUE_URL, awsConfigOf(environment)),
  policyOf,
  uploads,
  store,
  translator,
  characters,
  sourceDetector,
};

/** The operations behind the tools, as their own functions bind them. */
const callOperation = createOperationCalls(
  [
    ...translateEndpoints({ translator, characters, sourceDetector }),
    ...languageEndpoints({ model: languageModelOnDemand() }),
    ...transcriptionEndpoints({ transcriber: transcriberFrom(environment), uploads, store }),
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
