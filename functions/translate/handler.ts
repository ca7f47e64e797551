import { readEnvironment } from "../../shared/config/environment.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { inferenceKey } from "../../shared/inference/inference-keys.ts";
import { createOpenAiTranslator } from "../../shared/inference/openai/translator.ts";
import { createLimitCounters } from "../../shared/limits/limit-counters.ts";
import { createLimiter } from "../../shared/limits/limiter.ts";
import { openItemTable } from "../../shared/storage/item-table.ts";
import { translateFunction } from "./contract.ts";
import { translateEndpoints } from "./endpoints.ts";

const environment = readEnvironment(translateFunction.environment, process.env);

const translator = createOpenAiTranslator(
  {
    baseUrl: environment.TRANSLATION_BASE_URL,
    apiKey: inferenceKey(environment.INFERENCE_KEYS_SECRET_ID, "translation"),
    silenceMilliseconds: environment.TRANSLATION_TIMEOUT_MS,
  },
  environment.TRANSLATION_MODEL,
);

const limiter = createLimiter(createLimitCounters(openItemTable(environment.TABLE_NAME)));

export const handler = createStreamingHandler(translateEndpoints({ translator }), { limiter });
