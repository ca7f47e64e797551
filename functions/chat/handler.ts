import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { connectionsOpened } from "../../shared/platform/outbound/connections.ts";
import { chatModelsFrom, requestToolsFrom, verifyBearerFrom } from "../../shared/wiring/from-environment.ts";
import { chatEndpoints } from "./endpoints.ts";
import { chatEnvironment } from "./environment.ts";

const environment = readEnvironment(chatEnvironment, process.env);
const dependencies = { models: chatModelsFrom(environment) };

export const handler = createStreamingHandler(chatEndpoints(dependencies), {
  verifyBearer: verifyBearerFrom(environment),
  originSecret: environment.ORIGIN_SECRET,
  furtherEndpoints: async () => (await import("./further-endpoints.ts")).furtherChatEndpoints(dependencies),
  ...requestToolsFrom(environment),
});

await connectionsOpened();
