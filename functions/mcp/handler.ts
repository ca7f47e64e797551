import { createCharacterQuota } from "../../shared/accounts/limits/character-quota.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { sourceLanguageDetectorOnDemand } from "../../shared/models/source-language/detector.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { connectionsOpened } from "../../shared/platform/outbound/connections.ts";
import {
  accountPoliciesFrom,
  objectStoreFrom,
  requestTableFrom,
  requestToolsFrom,
  translatorFrom,
  verifyBearerFrom,
} from "../../shared/wiring/from-environment.ts";
import { languagesOperation } from "../docs/contract.ts";
import { listLanguages } from "../docs/list-languages.ts";
import { languageEndpoints } from "../language/endpoints.ts";
import { translateEndpoints } from "../translate/endpoints.ts";
import { languageModelOnDemand } from "../translate/language-model.ts";
import { createOperationCalls } from "./call-operation.ts";
import { mcpFunction } from "./contract.ts";
import { mcpEndpoints } from "./endpoints.ts";

const environment = readEnvironment(mcpFunction.environment, process.env);
const options = { verifyBearer: verifyBearerFrom(environment), ...requestToolsFrom(environment) };

/** The operations behind the tools, as their own functions bind them. */
const callOperation = createOperationCalls(
  [
    ...translateEndpoints({
      translator: translatorFrom(environment),
      characters: createCharacterQuota(requestTableFrom(environment), accountPoliciesFrom(environment)),
      sourceDetector: sourceLanguageDetectorOnDemand(),
    }),
    ...languageEndpoints({ model: languageModelOnDemand() }),
    endpoint(languagesOperation, listLanguages),
  ],
  {
    ...options,
    furtherEndpoints: async () => (await import("./further-endpoints.ts")).furtherToolEndpoints(environment),
  },
);

export const handler = createStreamingHandler(
  mcpEndpoints({
    callOperation,
    store: objectStoreFrom(environment),
    verifyBearer: options.verifyBearer,
    limiter: options.limiter,
    publicBaseUrl: environment.PUBLIC_BASE_URL,
  }),
  options,
);

await connectionsOpened();
