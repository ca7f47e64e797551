import { createIssuedTokens } from "../accounts/issued-tokens.ts";
import { readSecret } from "../config/secrets.ts";
import type { ItemTable } from "../storage/item-table.ts";
import { authorize, type Decision } from "./authorize.ts";
import { createSigningKeySource } from "./signing-keys.ts";
import { createTokens } from "./tokens.ts";

/**
 * Checks bearer tokens against the table and the signing secret: the same code in front of API Gateway's routes and
 * inside functions that no authorizer can stand in front of.
 */
export const createTokenAuthorization = (
  table: ItemTable,
  tokenSecretId: string,
): ((authorization: string | undefined) => Promise<Decision>) => {
  const keys = createSigningKeySource((version) => readSecret(tokenSecretId, version));
  // Asked for while the function is still starting, so that its first request need not wait for them as well. Should it
  // fail, that request asks again.
  keys.get().catch(() => undefined);
  const dependencies = {
    tokens: createTokens(keys),
    issuedTokens: createIssuedTokens(table),
  };
  return (authorization) => authorize(authorization, dependencies);
};
