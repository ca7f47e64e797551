import { createTokensRepository } from "../accounts/tokens-repository.ts";
import { readSecret } from "../config/secrets.ts";
import type { Table } from "../storage/table.ts";
import { authorize, type Decision } from "./authorize.ts";
import { createSigningKeySource } from "./signing-keys.ts";
import { createTokens } from "./tokens.ts";

/**
 * Checks bearer tokens against the table and the signing secret: the same code in front of API Gateway's routes and
 * inside functions that no authorizer can stand in front of.
 */
export const createTokenAuthorization = (
  table: Table,
  tokenSecretId: string,
): ((authorization: string | undefined) => Promise<Decision>) => {
  const dependencies = {
    tokens: createTokens(createSigningKeySource((version) => readSecret(tokenSecretId, version))),
    issuedTokens: createTokensRepository(table),
  };
  return (authorization) => authorize(authorization, dependencies);
};
