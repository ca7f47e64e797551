import { readEnvironment } from "../../shared/config/environment.ts";
import { verifyBearerFrom } from "../../shared/config/from-environment.ts";
import { connectionsOpened } from "../../shared/outbound/connections.ts";
import { createAuthorizer } from "./authorize-request.ts";
import { authorizerFunction } from "./contract.ts";

const environment = readEnvironment(authorizerFunction.environment, process.env);

export const handler = createAuthorizer(verifyBearerFrom(environment));

await connectionsOpened();
