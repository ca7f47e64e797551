import { createTokenAuthorization } from "../../shared/auth/authorize.ts";
import { readEnvironment } from "../../shared/config/environment.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { inferenceKey } from "../../shared/inference/inference-keys.ts";
import { createOpenAiChatModels } from "../../shared/inference/openai/chat-models.ts";
import { createOpenAiSynthesizer } from "../../shared/inference/openai/synthesizer.ts";
import { createOpenAiTranscriber } from "../../shared/inference/openai/transcriber.ts";
import { createLimitCounters } from "../../shared/limits/limit-counters.ts";
import { createLimiter } from "../../shared/limits/limiter.ts";
import { openItemTable } from "../../shared/storage/item-table.ts";
import { openBucket } from "../../shared/storage/s3-bucket.ts";
import { createS3ObjectStore } from "../../shared/storage/s3-object-store.ts";
import { openTable } from "../../shared/storage/table.ts";
import type { ModelTask } from "../../shared/telemetry/backend-uses.ts";
import { createUploadsRepository } from "../../shared/uploads/uploads-repository.ts";
import { legacyFunction } from "./contract.ts";
import { legacyEndpoints } from "./endpoints.ts";
import { createSavedTranscriptions } from "./saved-transcriptions.ts";

const environment = readEnvironment(legacyFunction.environment, process.env);

const backend = (task: ModelTask, baseUrl: string, silenceMilliseconds: number) => ({
  baseUrl,
  silenceMilliseconds,
  apiKey: inferenceKey(environment.INFERENCE_KEYS_SECRET_ID, task),
});

const table = openTable(environment.TABLE_NAME);
const requestTable = openItemTable(environment.TABLE_NAME);
const store = createS3ObjectStore(openBucket(environment.BUCKET_NAME, process.env["AWS_ENDPOINT_URL_S3"]));

const endpoints = legacyEndpoints(
  {
    models: createOpenAiChatModels(backend("chat", environment.CHAT_BASE_URL, environment.CHAT_TIMEOUT_MS), {
      "lang-14b": environment.CHAT_MODEL_14B,
      "lang-9b": environment.CHAT_MODEL_9B,
    }),
    speech: {
      synthesizer: createOpenAiSynthesizer(
        backend("speech", environment.SPEECH_BASE_URL, environment.SPEECH_TIMEOUT_MS),
        environment.SPEECH_MODEL,
      ),
      store,
      model: environment.SPEECH_MODEL,
      platform: environment.SPEECH_PLATFORM,
    },
    transcription: {
      transcriber: createOpenAiTranscriber(
        backend("transcription", environment.TRANSCRIPTION_BASE_URL, environment.TRANSCRIPTION_TIMEOUT_MS),
        environment.TRANSCRIPTION_MODEL,
      ),
      store,
      bucketName: environment.BUCKET_NAME,
      uploads: createUploadsRepository(table),
      saved: createSavedTranscriptions(table),
    },
  },
  {
    vendors: { a: environment.LEGACY_VENDOR_A, b: environment.LEGACY_VENDOR_B },
    sunset: environment.LEGACY_SUNSET,
    providerRoutes: environment.LEGACY_PROVIDER_ROUTES,
  },
);

export const handler = createStreamingHandler(endpoints, {
  authorize: createTokenAuthorization(requestTable, environment.TOKEN_SECRET_ID),
  limiter: createLimiter(createLimitCounters(requestTable)),
});
