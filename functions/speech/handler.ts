import { readEnvironment } from "../../shared/config/environment.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { inferenceKey } from "../../shared/inference/inference-keys.ts";
import { createOpenAiSynthesizer } from "../../shared/inference/openai/synthesizer.ts";
import { createLimitCounters } from "../../shared/limits/limit-counters.ts";
import { createLimiter } from "../../shared/limits/limiter.ts";
import { openItemTable } from "../../shared/storage/item-table.ts";
import { openBucket } from "../../shared/storage/s3-bucket.ts";
import { createS3ObjectStore } from "../../shared/storage/s3-object-store.ts";
import { speechFunction } from "./contract.ts";
import { speechEndpoints } from "./endpoints.ts";

const environment = readEnvironment(speechFunction.environment, process.env);

const synthesizer = createOpenAiSynthesizer(
  {
    baseUrl: environment.SPEECH_BASE_URL,
    apiKey: inferenceKey(environment.INFERENCE_KEYS_SECRET_ID, "speech"),
    silenceMilliseconds: environment.SPEECH_TIMEOUT_MS,
  },
  environment.SPEECH_MODEL,
);

const limiter = createLimiter(createLimitCounters(openItemTable(environment.TABLE_NAME)));

export const handler = createStreamingHandler(
  speechEndpoints({
    synthesizer,
    store: createS3ObjectStore(openBucket(environment.BUCKET_NAME, process.env["AWS_ENDPOINT_URL_S3"])),
    model: environment.SPEECH_MODEL,
    platform: environment.SPEECH_PLATFORM,
  }),
  { limiter },
);
