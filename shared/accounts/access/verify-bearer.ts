import type { SecretVersion } from "../../platform/config/secrets.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Table } from "../../platform/storage/table.ts";
import { readAccess, requireAccess } from "./access.ts";
import { type Credential, keyPrefix, readApiKey, type Scope } from "./api-keys.ts";
import { bearerToken, createSigningKeySource, createTokens, type Tokens } from "./tokens.ts";

/**
 * The token or the key in an `Authorization` header; `undefined` when there is none, a token's signature or expiry is
 * wrong, or a key's checksum. Whether it was revoked since only the table knows.
 */
export type VerifyBearer = (authorization: string | undefined) => Promise<Credential | undefined>;

/** Reads an `Authorization` header: a key by its checksum, anything else as a token. */
export const readBearer =
  (verifyToken: Tokens["verify"]): VerifyBearer =>
  async (authorization) => {
    const token = bearerToken(authorization);
    if (token === undefined) return undefined;
    return token.startsWith(keyPrefix) ? readApiKey(token) : verifyToken(token);
  };

/**
 * Checks tokens by the signing secret, and keys by their checksum: in front of API Gateway's routes, and inside functions
 * without an authorizer.
 */
export const createBearerVerification = (
  readSigningSecret: (version: SecretVersion) => Promise<string | undefined>,
): VerifyBearer => {
  const keys = createSigningKeySource(readSigningSecret);
  // Asked for while the function is still starting, so that its first request need not wait for them as well. Should it
  // fail, that request asks again.
  keys.get().catch(() => undefined);
  return readBearer(createTokens(keys).verify);
};

/**
 * The id of the account whose token or key is in an `Authorization` header; `undefined` when it opens nothing.
 *
 * @throws AppError `insufficient_scope` when it is a key that was not made for this.
 */
export type FindBearer = (authorization: string | undefined) => Promise<number | undefined>;

/**
 * For routes that anybody may use, and that do something more for whoever has a credential: nothing is counted on the
 * account, and the key's last use is not noted.
 */
export const createBearerSearch =
  (verify: VerifyBearer, table: Pick<Table, "read">, scope: Scope): FindBearer =>
  async (authorization) => {
    const credential = await verify(authorization);
    if (!credential) return undefined;
    const access = await readAccess(table, credential);
    try {
      requireAccess(access, credential, scope);
      return credential.userId;
    } catch (error) {
      if (error instanceof AppError && error.code !== "insufficient_scope") return undefined;
      throw error;
    }
  };
