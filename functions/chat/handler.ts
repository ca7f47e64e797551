import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { connectionsOpened } from "../../shared/platform/outbound/connections.ts";
import { chatModelsFrom, requestToolsFrom, verifyBearerFrom } from "../../shared/wiring/from-environment.ts";
import { chatFunction } from "./contract.ts";
import { chatEndpoints } from "./endpoints.ts";

const environment = readEnvironment(chatFunction.environment, process.env);

export const handler = createStreamingHandler(chatEndpoints({ models: chatModelsFrom(environment) }), {
  verifyBearer: verifyBearerFrom(environment),
  originSecret: environment.ORIGIN_SECRET,
  ...requestToolsFrom(environment),
});

await connectionsOpened();
