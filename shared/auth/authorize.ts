import type { IssuedTokens } from "../accounts/issued-tokens.ts";
import type { Caller } from "./caller.ts";
import { bearerToken, type Tokens } from "./tokens.ts";

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
