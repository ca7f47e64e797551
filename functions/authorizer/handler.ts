import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { connectionsOpened } from "../../shared/platform/outbound/connections.ts";
import { verifyBearerFrom } from "../../shared/wiring/from-environment.ts";
import { createAuthorizer } from "./authorize-request.ts";
import { authorizerFunction } from "./contract.ts";

const environment = readEnvironment(authorizerFunction.environment, process.env);

export const handler = createAuthorizer(verifyBearerFrom(environment), environment.METRICS_NAMESPACE);

await connectionsOpened();
