import { createCharacterQuota } from "../../shared/accounts/limits/character-quota.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { sourceLanguageDetectorOnDemand } from "../../shared/models/source-language/detector.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { connectionsOpened } from "../../shared/platform/outbound/connections.ts";
import {
  accountPoliciesFrom,
  requestTableFrom,
  requestToolsFrom,
  translatorFrom,
  verifyBearerFrom,
} from "../../shared/wiring/from-environment.ts";
import { translateEndpoints } from "./endpoints.ts";
import { translateEnvironment } from "./environment.ts";
import { languageModelOnDemand } from "./language-model.ts";

const environment = readEnvironment(translateEnvironment, process.env);

const dependencies = {
  translator: translatorFrom(environment),
  characters: createCharacterQuota(requestTableFrom(environment), accountPoliciesFrom(environment)),
  languageModel: languageModelOnDemand(),
  sourceDetector: sourceLanguageDetectorOnDemand(),
};

export const handler = createStreamingHandler(translateEndpoints(dependencies), {
  verifyBearer: verifyBearerFrom(environment),
  furtherEndpoints: async () =>
    (await import("./further-endpoints.ts")).furtherTranslateEndpoints(dependencies),
  ...requestToolsFrom(environment),
});

await connectionsOpened();
