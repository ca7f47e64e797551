import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { readEnvironment } from "../../shared/config/environment.ts";
import { authorizeFrom } from "../../shared/config/from-environment.ts";
import { describeError, logger } from "../../shared/telemetry/logger.ts";
import { authorizerFunction } from "./contract.ts";

const environment = readEnvironment(authorizerFunction.environment, process.env);
const authorize = authorizeFrom(environment);

/** The whole stage: an answer that API Gateway caches must hold for every route the same token may call next. */
const everyRoute = (methodArn: string): string => methodArn.split("/").slice(0, 2).concat("*").join("/");

const authorizationHeader = (event: APIGatewayRequestAuthorizerEvent): string | undefined => {
  const headers = Object.entries(event.headers ?? {});
  return headers.find(([name]) => name.toLowerCase() === "authorization")?.[1];
};

export const handler = async (
  event: APIGatewayRequestAuthorizerEvent,
): Promise<APIGatewayAuthorizerResult> => {
  const decision = await authorize(authorizationHeader(event)).catch((error: unknown) => {
    // Lambda's own count of errors cannot tell this from a refused token.
    logger.error("authorizer.failed", { reason: describeError(error) });
    throw error;
  });
  // API Gateway turns exactly this message into its UNAUTHORIZED response.
  if (decision.kind === "unauthenticated") throw new Error("Unauthorized");
  const policy = (effect: "Allow" | "Deny") => ({
    Version: "2012-10-17",
    Statement: [
      { Action: "execute-api:Invoke", Effect: effect, Resource: everyRoute(event.methodArn) } as const,
    ],
  });
  return decision.kind === "forbidden"
    ? { principalId: String(decision.userId), policyDocument: policy("Deny") }
    : {
        principalId: String(decision.caller.userId),
        policyDocument: policy("Allow"),
        context: decision.caller,
      };
};
