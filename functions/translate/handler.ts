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
import { translateFunction } from "./definition.ts";
import { deeplEndpoints, libreTranslateEndpoints, translateEndpoints } from "./endpoints.ts";
import { languageModelOnDemand } from "./language-model.ts";

const environment = readEnvironment(translateFunction.environment, process.env);

const dependencies = {
  translator: translatorFrom(environment),
  characters: createCharacterQuota(requestTableFrom(environment), accountPoliciesFrom(environment)),
  languageModel: languageModelOnDemand(),
  sourceDetector: sourceLanguageDetectorOnDemand(),
};

export const handler = createStreamingHandler(
  [
    ...translateEndpoints(dependencies),
    ...deeplEndpoints(dependencies),
    ...libreTranslateEndpoints(dependencies),
  ],
  { verifyBearer: verifyBearerFrom(environment), ...requestToolsFrom(environment) },
);

await connectionsOpened();
