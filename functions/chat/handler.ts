import { createTokenAuthorization } from "../../shared/auth/authorize.ts";
import { readEnvironment } from "../../shared/config/environment.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { inferenceKey } from "../../shared/inference/inference-keys.ts";
import { createOpenAiChatModels } from "../../shared/inference/openai/chat-models.ts";
import { createLimitCounters } from "../../shared/limits/limit-counters.ts";
import { createLimiter } from "../../shared/limits/limiter.ts";
import { openItemTable } from "../../shared/storage/item-table.ts";
import { chatFunction } from "./contract.ts";
import { chatEndpoints } from "./endpoints.ts";

const environment = readEnvironment(chatFunction.environment, process.env);

const models = createOpenAiChatModels(
  {
    baseUrl: environment.CHAT_BASE_URL,
    apiKey: inferenceKey(environment.INFERENCE_KEYS_SECRET_ID, "chat"),
    silenceMilliseconds: environment.CHAT_TIMEOUT_MS,
  },
  { "lang-14b": environment.CHAT_MODEL_14B, "lang-9b": environment.CHAT_MODEL_9B },
);

const table = openItemTable(environment.TABLE_NAME);

export const handler = createStreamingHandler(chatEndpoints({ models }), {
  authorize: createTokenAuthorization(table, environment.TOKEN_SECRET_ID),
  limiter: createLimiter(createLimitCounters(table)),
});
