import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import type { VerifyBearer } from "../../shared/auth/verify-bearer.ts";
import { describeError, logger } from "../../shared/telemetry/logger.ts";

/** What API Gateway asks of the authorizer: the request's headers, and which method of which stage is called. */
type AuthorizerRequest = Pick<APIGatewayRequestAuthorizerEvent, "headers" | "methodArn">;

const authorizationHeader = ({ headers }: AuthorizerRequest): string | undefined =>
  Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "authorization")?.[1];

/**
 * A good token as a policy for every route of the stage. A stage may have API Gateway reuse the policy for all requests
 * with the same token (`authorizerCacheSeconds`): one that named the called route only would refuse the next.
 */
const policyFor = (methodArn: string) => {
  const [api, stage] = methodArn.split("/");
  return {
    Version: "2012-10-17",
    Statement: [{ Action: "execute-api:Invoke", Effect: "Allow", Resource: `${api}/${stage}/*` } as const],
  };
};

/**
 * The Lambda authorizer in front of API Gateway's routes. It checks what needs no table, and hands the claims on: whether
 * the token was revoked, the function behind the route finds out by the write that counts the request.
 *
 * @throws Error `Unauthorized`, which API Gateway turns into its 401; anything else becomes a 500.
 */
export const createAuthorizer =
  (verifyBearer: VerifyBearer) =>
  async (request: AuthorizerRequest): Promise<APIGatewayAuthorizerResult> => {
    const token = await verifyBearer(authorizationHeader(request)).catch((error: unknown) => {
      // Lambda's own count of errors cannot tell this from a refused token.
      logger.error("authorizer.failed", { reason: describeError(error) });
      throw error;
    });
    if (!token) throw new Error("Unauthorized");
    const { userId, tokenId, tokenEpoch, tokenExpiresAt } = token;
    return {
      principalId: String(userId),
      policyDocument: policyFor(request.methodArn),
      context: {
        userId: String(userId),
        tokenId,
        tokenEpoch: String(tokenEpoch),
        ...(tokenExpiresAt === undefined ? {} : { tokenExpiresAt: String(tokenExpiresAt) }),
      },
    };
  };
