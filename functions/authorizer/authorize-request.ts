import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent, Context } from "aws-lambda";
import { type Credential, isKey } from "../../shared/accounts/access/api-keys.ts";
import type { VerifyBearer } from "../../shared/accounts/access/verify-bearer.ts";
import { faultFields, versionOf } from "../../shared/platform/telemetry/fault-metric.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";

/** The request's headers, and the method that is called. */
type AuthorizerRequest = Pick<APIGatewayRequestAuthorizerEvent, "headers" | "methodArn">;

const authorizationHeader = ({ headers }: AuthorizerRequest): string | undefined =>
  Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "authorization")?.[1];

/**
 * Returns a policy that allows every route of the stage. API Gateway may reuse it for all requests with the same credential
 * (`authorizerCacheSeconds`), so a policy for the called route only would refuse the next.
 */
const policyFor = (methodArn: string) => {
  const [api, stage] = methodArn.split("/");
  return {
    Version: "2012-10-17",
    Statement: [{ Action: "execute-api:Invoke", Effect: "Allow", Resource: `${api}/${stage}/*` } as const],
  };
};

/** The claims, as strings. */
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
 * The Lambda authorizer of API Gateway's routes. It checks what needs no table, and passes on the claims. The function checks
 * whether the token or key was revoked, with the write that counts the request.
 *
 * @param metricsNamespace where its faults are counted; without it they are only logged.
 * @throws Error `Unauthorized`, which API Gateway turns into its 401; anything else becomes a 500.
 */
export const createAuthorizer =
  (verifyBearer: VerifyBearer, metricsNamespace?: string) =>
  async (request: AuthorizerRequest, context: Context): Promise<APIGatewayAuthorizerResult> => {
    const credential = await verifyBearer(authorizationHeader(request)).catch((error: unknown) => {
      // Lambda's own count of errors includes refused tokens.
      const scope = { metricsNamespace, functionVersion: versionOf(context) };
      logger.error("authorizer.failed", { reason: describeError(error), ...faultFields(error, scope) });
      throw error;
    });
    if (!credential) throw new Error("Unauthorized");
    return {
      principalId: String(credential.userId),
      policyDocument: policyFor(request.methodArn),
      context: contextOf(credential),
    };
  };
