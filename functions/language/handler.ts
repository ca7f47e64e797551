import { readEnvironment } from "../../shared/config/environment.ts";
import { createBufferedHandler } from "../../shared/http/pipeline.ts";
import { loadLanguageModel } from "../../shared/language-id/model.ts";
import { readWeights } from "../../shared/language-id/read-weights.ts";
import { createLimitCounters } from "../../shared/limits/limit-counters.ts";
import { createLimiter } from "../../shared/limits/limiter.ts";
import { openItemTable } from "../../shared/storage/item-table.ts";
import { languageFunction } from "./contract.ts";
import { languageEndpoints } from "./endpoints.ts";

const environment = readEnvironment(languageFunction.environment, process.env);
const limiter = createLimiter(createLimitCounters(openItemTable(environment.TABLE_NAME)));

// While the function starts it has a whole CPU, whatever its memory: the model is loaded then, not on the first call.
export const handler = createBufferedHandler(languageEndpoints({ model: loadLanguageModel(readWeights()) }), {
  limiter,
});
