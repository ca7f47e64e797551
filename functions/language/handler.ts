import { createBufferedHandler } from "../../shared/http/create-handler.ts";
import { loadLanguageModel } from "../../shared/language-id/model.ts";
import { readWeights } from "../../shared/language-id/read-weights.ts";
import { languageEndpoints } from "./endpoints.ts";

// While the function starts it has a whole CPU, whatever its memory: the model is loaded then, not on the first call.
export const handler = createBufferedHandler(languageEndpoints({ model: loadLanguageModel(readWeights()) }));
