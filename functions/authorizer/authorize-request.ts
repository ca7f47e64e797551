import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { type Credential, isKey } from "../../shared/accounts/access/api-keys.ts";
import type { VerifyBearer } from "../../shared/accounts/access/verify-bearer.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";

/** What API Gateway asks of the authorizer: the request's headers, and which method of which stage is called. */
type AuthorizerRequest = Pick<APIGatewayRequestAuthorizerEvent, "headers" | "methodArn">;

const authorizationHeader = ({ headers }: AuthorizerRequest): string | undefined =>
  Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "authorization")?.[1];

/**
 * A good token or key as a policy for every route of the stage. A stage may have API Gateway reuse the policy for all
 * requests with the same one (`authorizerCacheSeconds`): one that named the called route only would refuse the next.
 */
const policyFor = (methodArn: string) => {
  const [api, stage] = methodArn.split("/");
  return {
    Version: "2012-10-17",
    Statement: [{ Action: "execute-api:Invoke", Effect: "Allow", Resource: `${api}/${stage}/*` } as const],
  };
};

/** What is handed on, as strings. */
const contextOf = (credential: Credential): Record<string, string> => {
  const userId = String(credential.userId);
  if (isKey(credential)) return { userId, keyId: credential.keyId, keyDigest: credential.keyDigest };
  const { tokenId, tokenEpoch, tokenExpiresAt, scopes } = credential;
  return {
    userId,
    tokenId,
    tokenEpoch: String(tokenEpoch),
    ...(tokenExpiresAt === undefined ? {} : { tokenExpiresAt: String(tokenExpiresAt) }),
    ...(scopes === undefined ? {} : { scopes: scopes.join(" ") }),
  };
};

/**
 * The Lambda authorizer in front of API Gateway's routes. It checks what needs no table, and hands the claims on: whether
 * the token or key was revoked, the function behind the route finds out by the write that counts the request.
 *
 * @throws Error `Unauthorized`, which API Gateway turns into its 401; anything else becomes a 500.
 */
export const createAuthorizer =
  (verifyBearer: VerifyBearer) =>
  async (request: AuthorizerRequest): Promise<APIGatewayAuthorizerResult> => {
    const credential = await verifyBearer(authorizationHeader(request)).catch((error: unknown) => {
      // Lambda's own count of errors cannot tell this from a refused token.
      logger.error("authorizer.failed", { reason: describeError(error) });
      throw error;
    });
    if (!credential) throw new Error("Unauthorized");
    return {
      principalId: String(credential.userId),
      policyDocument: policyFor(request.methodArn),
      context: contextOf(credential),
    };
  };
