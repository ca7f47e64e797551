import { readAccess, requireAccess } from "../accounts/access.ts";
import type { SecretVersion } from "../config/secrets.ts";
import { AppError } from "../errors/app-error.ts";
import type { ItemTable } from "../storage/item-table.ts";
import { bearerToken, createSigningKeySource, createTokens, type TokenClaims } from "./tokens.ts";

/**
 * The claims of the token in an `Authorization` header; `undefined` when there is none, or its signature or expiry is
 * wrong. Whether it was revoked since only the table knows.
 */
export type VerifyBearer = (authorization: string | undefined) => Promise<TokenClaims | undefined>;

/** Checks bearer tokens by the signing secret: in front of API Gateway's routes, and inside functions without an authorizer. */
export const createBearerVerification = (
  readSigningSecret: (version: SecretVersion) => Promise<string | undefined>,
): VerifyBearer => {
  const keys = createSigningKeySource(readSigningSecret);
  // Asked for while the function is still starting, so that its first request need not wait for them as well. Should it
  // fail, that request asks again.
  keys.get().catch(() => undefined);
  const { verify } = createTokens(keys);
  return async (authorization) => {
    const token = bearerToken(authorization);
    return token === undefined ? undefined : verify(token);
  };
};

/** The id of the account whose token is in an `Authorization` header; `undefined` when it opens nothing. */
export type FindBearer = (authorization: string | undefined) => Promise<number | undefined>;

/** For routes that anybody may use, and that do something more for whoever has a token: nothing is counted on the account. */
export const createBearerSearch =
  (verify: VerifyBearer, table: Pick<ItemTable, "read">): FindBearer =>
  async (authorization) => {
    const token = await verify(authorization);
    if (!token) return undefined;
    const access = await readAccess(table, token);
    try {
      requireAccess(access, token);
      return token.userId;
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  };
