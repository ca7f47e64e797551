import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { loadLanguageModel } from "../../shared/models/language-id/model.ts";
import { readWeights } from "../../shared/models/language-id/weights.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { connectionsOpened } from "../../shared/platform/outbound/connections.ts";
import { requestToolsFrom } from "../../shared/wiring/from-environment.ts";
import { languageFunction } from "./contract.ts";
import { languageEndpoints } from "./endpoints.ts";

const environment = readEnvironment(languageFunction.environment, process.env);

// During its start the function has a whole CPU, with any memory size: the model is loaded then, not on the first
// call.
export const handler = createStreamingHandler(
  languageEndpoints({ model: loadLanguageModel(readWeights()) }),
  requestToolsFrom(environment),
);

await connectionsOpened();
