import { createCharacterQuota } from "../../shared/accounts/limits/character-quota.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { connectionsOpened } from "../../shared/platform/outbound/connections.ts";
import {
  accountPoliciesFrom,
  requestTableFrom,
  requestToolsFrom,
  translatorFrom,
} from "../../shared/wiring/from-environment.ts";
import { translateFunction } from "./contract.ts";
import { translateEndpoints } from "./endpoints.ts";

const environment = readEnvironment(translateFunction.environment, process.env);

export const handler = createStreamingHandler(
  translateEndpoints({
    translator: translatorFrom(environment),
    characters: createCharacterQuota(requestTableFrom(environment), accountPoliciesFrom(environment)),
  }),
  requestToolsFrom(environment),
);

await connectionsOpened();
