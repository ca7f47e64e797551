import type { TokenSuccessor } from "../../shared/accounts/access/caller.ts";
import { newTokenId, type TokenClaims } from "../../shared/accounts/access/tokens.ts";
import { maxRevokedTokens } from "../../shared/accounts/repositories/tokens-repository.ts";
import type { SignInDependencies } from "../../shared/accounts/sign-in/dependencies.ts";
import type { AccessToken } from "../../shared/accounts/sign-in/fields.ts";
import { toAccessToken } from "../../shared/accounts/sign-in/issue-token.ts";
import { idempotencyKeyDigest } from "../../shared/http/idempotency/keys.ts";
import { ReplyWithHeaders } from "../../shared/http/response.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";

/** What allows a refresh to be repeated. */
interface RepeatableRefresh {
  readonly idempotencyKey: string | undefined;
  /** The token that replaced the caller's, for a repeated request. */
  readonly successor: TokenSuccessor | undefined;
}

/**
 * Replaces the caller's token; the old one stops working at once.
 *
 * @param caller the token that was sent; `undefined` for a key, which has none to replace.
 * @throws AppError `insufficient_scope` for a key; `unauthenticated` when the old token was replaced by a parallel call;
 * `rate_limited` when too many of the account's tokens were replaced that have not expired.
 */
export const refreshToken = async (
  caller: TokenClaims | undefined,
  {
    revokedTokens,
    tokens,
    tokenLifetimeSeconds,
  }: Pick<SignInDependencies, "revokedTokens" | "tokens" | "tokenLifetimeSeconds">,
  { idempotencyKey, successor: repeated }: Partial<RepeatableRefresh> = {},
): Promise<AccessToken | ReplyWithHeaders<AccessToken>> => {
  if (!caller) throw new AppError("insufficient_scope");
  const { userId, tokenEpoch } = caller;
  // The epoch stays: should the password change meanwhile, the new token is revoked like the old one.
  const sign = async (tokenId: string, issuedAt: number): Promise<AccessToken> => {
    const token = { userId, tokenId, tokenEpoch };
    return toAccessToken(await tokens.sign(token, tokenLifetimeSeconds, issuedAt), tokenLifetimeSeconds);
  };
  const repeat = async ({ tokenId, issuedAt }: TokenSuccessor) =>
    new ReplyWithHeaders(await sign(tokenId, issuedAt), { "Idempotent-Replayed": "true" });
  if (repeated) return repeat(repeated);

  const tokenId = newTokenId();
  const issuedAt = Math.floor(Date.now() / 1_000);
  const keyDigest = idempotencyKey === undefined ? undefined : idempotencyKeyDigest(idempotencyKey);
  const successor = keyDigest === undefined ? undefined : { tokenId, issuedAt, keyDigest };
  const revocation = await revokedTokens.revoke(caller, successor);
  if (revocation.kind === "replaced") return repeat(revocation.successor);
  if (revocation.kind === "too-many") {
    throw new AppError("rate_limited", {
      message:
        `This account has replaced ${maxRevokedTokens} tokens that have not expired yet, and cannot replace more. ` +
        "The token that was sent still works. A new password revokes all tokens.",
      retryAfterSeconds: revocation.endsIn,
    });
  }
  return sign(tokenId, issuedAt);
};
