import type { SecretVersion } from "../../platform/config/secrets.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Table } from "../../platform/storage/table.ts";
import { readAccess, requireAccess } from "./access.ts";
import { type Credential, keyPrefix, readApiKey, type Scope } from "./api-keys.ts";
import { bearerToken, createSigningKeySource, createTokens, type Tokens } from "./tokens.ts";

/**
 * Returns the token or key of an `Authorization` header; `undefined` when there is none, or a token's signature or expiry,
 * or a key's checksum, is invalid. Only the table shows whether it was revoked.
 */
export type VerifyBearer = (authorization: string | undefined) => Promise<Credential | undefined>;

/** Reads a key by its prefix, anything else as a token. */
export const readBearer =
  (verifyToken: Tokens["verify"]): VerifyBearer =>
  async (authorization) => {
    const token = bearerToken(authorization);
    if (token === undefined) return undefined;
    return token.startsWith(keyPrefix) ? readApiKey(token) : verifyToken(token);
  };

/** Checks tokens with the signing secret, and keys by their checksum: in the authorizer, and in functions without one. */
export const createBearerVerification = (
  readSigningSecret: (version: SecretVersion) => Promise<string | undefined>,
): VerifyBearer => {
  const keys = createSigningKeySource(readSigningSecret);
  // Loads them while the function starts, so its first request need not wait. If that fails, the request loads them again.
  keys.get().catch(() => undefined);
  return readBearer(createTokens(keys).verify);
};

/**
 * Returns the id of the account of an `Authorization` header; `undefined` when its credential is invalid.
 *
 * @throws AppError `insufficient_scope` for a key without the scope.
 */
export type FindBearer = (authorization: string | undefined) => Promise<number | undefined>;

/** For public routes that do more for callers with a credential. Counts nothing, and does not record the key's last use. */
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
