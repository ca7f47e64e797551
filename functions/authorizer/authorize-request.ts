import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import type { Authorize } from "../../shared/http/authenticate.ts";
import { describeError, logger } from "../../shared/telemetry/logger.ts";

/** What API Gateway asks of the authorizer: the request's headers, and which method of which stage is called. */
type AuthorizerRequest = Pick<APIGatewayRequestAuthorizerEvent, "headers" | "methodArn">;

const authorizationHeader = ({ headers }: AuthorizerRequest): string | undefined =>
  Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "authorization")?.[1];

/**
 * A decision as a policy for every route of the stage. A stage may have API Gateway reuse the policy for all requests
 * with the same token (`authorizerCacheSeconds`): one that named the called route only would refuse the next.
 */
const policyFor = (effect: "Allow" | "Deny", methodArn: string) => {
  const [api, stage] = methodArn.split("/");
  return {
    Version: "2012-10-17",
    Statement: [{ Action: "execute-api:Invoke", Effect: effect, Resource: `${api}/${stage}/*` } as const],
  };
};

/**
 * The Lambda authorizer in front of API Gateway's routes.
 *
 * @throws Error `Unauthorized`, which API Gateway turns into its 401; anything else becomes a 500.
 */
export const createAuthorizer =
  (authorize: Authorize) =>
  async (request: AuthorizerRequest): Promise<APIGatewayAuthorizerResult> => {
    const decision = await authorize(authorizationHeader(request)).catch((error: unknown) => {
      // Lambda's own count of errors cannot tell this from a refused token.
      logger.error("authorizer.failed", { reason: describeError(error) });
      throw error;
    });
    if (decision.kind === "unauthenticated") throw new Error("Unauthorized");
    if (decision.kind === "forbidden") {
      const { userId } = decision;
      return { principalId: String(userId), policyDocument: policyFor("Deny", request.methodArn) };
    }
    return {
      principalId: String(decision.caller.userId),
      policyDocument: policyFor("Allow", request.methodArn),
      context: decision.caller,
    };
  };
