import { readEnvironment } from "../../shared/config/environment.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { inferenceKey } from "../../shared/inference/inference-keys.ts";
import { createOpenAiTranscriber } from "../../shared/inference/openai/transcriber.ts";
import { createLimitCounters } from "../../shared/limits/limit-counters.ts";
import { createLimiter } from "../../shared/limits/limiter.ts";
import { openItemTable } from "../../shared/storage/item-table.ts";
import { openBucket } from "../../shared/storage/s3-bucket.ts";
import { createS3ObjectStore } from "../../shared/storage/s3-object-store.ts";
import { openTable } from "../../shared/storage/table.ts";
import { createUploadsRepository } from "../../shared/uploads/uploads-repository.ts";
import { transcriptionFunction } from "./contract.ts";
import { transcriptionEndpoints } from "./endpoints.ts";

const environment = readEnvironment(transcriptionFunction.environment, process.env);

const transcriber = createOpenAiTranscriber(
  {
    baseUrl: environment.TRANSCRIPTION_BASE_URL,
    apiKey: inferenceKey(environment.INFERENCE_KEYS_SECRET_ID, "transcription"),
    silenceMilliseconds: environment.TRANSCRIPTION_TIMEOUT_MS,
  },
  environment.TRANSCRIPTION_MODEL,
);

const table = openTable(environment.TABLE_NAME);

export const handler = createStreamingHandler(
  transcriptionEndpoints({
    transcriber,
    uploads: createUploadsRepository(table),
    store: createS3ObjectStore(openBucket(environment.BUCKET_NAME, process.env["AWS_ENDPOINT_URL_S3"])),
  }),
  { limiter: createLimiter(createLimitCounters(openItemTable(environment.TABLE_NAME))) },
);
