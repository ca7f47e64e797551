import { createIssuedTokens, type IssuedTokens } from "../accounts/issued-tokens.ts";
import type { SecretVersion } from "../config/secrets.ts";
import type { ItemTable } from "../storage/item-table.ts";
import type { Caller } from "./caller.ts";
import { bearerToken, createSigningKeySource, createTokens, type Tokens } from "./tokens.ts";

/** What a bearer token allows. */
export type Decision =
  | { readonly kind: "unauthenticated" }
  | { readonly kind: "forbidden"; readonly userId: number }
  | { readonly kind: "allowed"; readonly caller: Caller };

/**
 * Decides about an `Authorization` header: the signature first, then whether token and account still stand.
 *
 * Revocation takes effect at once: nothing but the signature is remembered between calls.
 */
export const authorize = async (
  authorization: string | undefined,
  { tokens, issuedTokens }: { readonly tokens: Tokens; readonly issuedTokens: IssuedTokens },
): Promise<Decision> => {
  const token = bearerToken(authorization);
  const claims = token && (await tokens.verify(token));
  const account = claims ? await issuedTokens.findAccount(claims) : undefined;
  if (!claims || !account) return { kind: "unauthenticated" };
  if (account.disabled) return { kind: "forbidden", userId: account.id };
  return {
    kind: "allowed",
    caller: {
      userId: account.id,
      username: account.username,
      accountType: account.account_type,
      tokenId: claims.tokenId,
    },
  };
};

/**
 * Checks bearer tokens against the table and the signing secret: the same code in front of API Gateway's routes and
 * inside functions that no authorizer can stand in front of.
 */
export const createTokenAuthorization = (
  table: ItemTable,
  readSigningSecret: (version: SecretVersion) => Promise<string | undefined>,
): ((authorization: string | undefined) => Promise<Decision>) => {
  const keys = createSigningKeySource(readSigningSecret);
  // Asked for while the function is still starting, so that its first request need not wait for them as well. Should it
  // fail, that request asks again.
  keys.get().catch(() => undefined);
  const dependencies = {
    tokens: createTokens(keys),
    issuedTokens: createIssuedTokens(table),
  };
  return (authorization) => authorize(authorization, dependencies);
};
