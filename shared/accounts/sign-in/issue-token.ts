import type { RequestFacts } from "../../http/endpoint.ts";
import { idempotencyKeyDigest } from "../../http/idempotency/keys.ts";
import { ReplyWithHeaders } from "../../http/response.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { AccountAtEpoch, StoredAccount } from "../access/account.ts";
import type { TokenSuccessor } from "../access/caller.ts";
import { newTokenId, type TokenClaims } from "../access/tokens.ts";
import { mostRevokedTokens } from "../repositories/tokens-repository.ts";
import type { DeletionDependencies } from "./delete-account.ts";
import type { SignInDependencies } from "./dependencies.ts";
import type { AccessToken, TokenRequest } from "./fields.ts";
import { verifyPassword } from "./passwords.ts";

const toAccessToken = (token: string, lifetimeSeconds: number | undefined): AccessToken => ({
  access_token: token,
  token_type: "bearer",
  ...(lifetimeSeconds === undefined ? {} : { expires_in: lifetimeSeconds }),
});

/** The account that a name and a password open. It takes as long when there is none. */
const findByPassword = async (
  username: string,
  password: string,
  accounts: SignInDependencies["accounts"],
): Promise<StoredAccount | undefined> => {
  // No user name has an @ in it.
  const found = await accounts.findWithPassword(username.includes("@") ? { email: username } : { username });
  const matches = await verifyPassword(password, found?.password_hash);
  return matches ? found : undefined;
};

/** What is known of whoever signs in, beside name and password. */
type SignInRequest = Pick<RequestFacts, "signal" | "sourceAddress">;

/**
 * The account that a user name (or e-mail address) and a password open.
 *
 * Unknown names and wrong passwords get the same response after the same work, and so does an account that has no password
 * because its owner signs in through an identity provider, whatever is sent.
 *
 * An account whose deletion has broken off opens to nobody any more; whoever has its password wanted it gone, and has the rest
 * of it deleted by trying to sign in.
 *
 * @throws AppError `invalid_credentials`; `forbidden` when the account is disabled, or was being deleted; `rate_limited`
 * while there is a wait after wrong passwords; what the store throws.
 */
export const signIn = async (
  { username, password }: Pick<TokenRequest, "username" | "password">,
  { sourceAddress, signal }: SignInRequest,
  { accounts, passwordGuard, eraseAccount }: DeletionDependencies,
): Promise<StoredAccount> => {
  const found = await passwordGuard.attempt({ name: username, sourceAddress }, () =>
    findByPassword(username, password, accounts),
  );
  if (!found) throw new AppError("invalid_credentials");
  if (found.deletion_began !== undefined) {
    await eraseAccount(found, signal);
    throw new AppError("forbidden", {
      message: "This account was being deleted. What was left of it is deleted now.",
    });
  }
  if (found.disabled) throw new AppError("forbidden", { message: "This account is disabled." });

  await passwordGuard.rememberAddress([found.username, found.email], sourceAddress);
  return found;
};

/** A token of an account whose owner has just been told from others. A later epoch ends it like every other. */
export const issueTokenTo = async (
  owner: AccountAtEpoch,
  { tokens, tokenLifetimeSeconds }: Pick<SignInDependencies, "tokens" | "tokenLifetimeSeconds">,
): Promise<AccessToken> => {
  const token = { ...owner, tokenId: newTokenId() };
  return toAccessToken(await tokens.sign(token, tokenLifetimeSeconds), tokenLifetimeSeconds);
};

/** Exchanges user name (or e-mail address) and password for a token. @throws AppError as {@link signIn}. */
export const issueToken = async (
  request: TokenRequest,
  from: SignInRequest,
  dependencies: DeletionDependencies & Pick<SignInDependencies, "tokens" | "tokenLifetimeSeconds">,
): Promise<AccessToken> => {
  const { id: userId, token_epoch: tokenEpoch } = await signIn(request, from, dependencies);
  return issueTokenTo({ userId, tokenEpoch }, dependencies);
};

/** What makes a refresh one that can be asked for again. */
interface RepeatableRefresh {
  readonly idempotencyKey: string | undefined;
  /** What took the token's place, when this is the second time that it is asked for. */
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
  // The epoch is carried over: should the password change meanwhile, the new token is as revoked as the old.
  const signAgain = async ({ tokenId, issuedAt }: TokenSuccessor): Promise<AccessToken> => {
    const token = { userId, tokenId, tokenEpoch };
    return toAccessToken(await tokens.sign(token, tokenLifetimeSeconds, issuedAt), tokenLifetimeSeconds);
  };
  const repeat = async (successor: TokenSuccessor) =>
    new ReplyWithHeaders(await signAgain(successor), { "Idempotent-Replayed": "true" });
  if (repeated) return repeat(repeated);

  const tokenId = newTokenId();
  const successor =
    idempotencyKey === undefined
      ? undefined
      : {
          tokenId,
          issuedAt: Math.floor(Date.now() / 1_000),
          keyDigest: idempotencyKeyDigest(idempotencyKey),
        };
  const revocation = await (successor
    ? revokedTokens.revoke(caller, successor)
    : revokedTokens.revoke(caller));
  if (revocation.kind === "replaced") return repeat(revocation.successor);
  if (revocation.kind === "too-many") {
    throw new AppError("rate_limited", {
      message:
        `This account has replaced ${mostRevokedTokens} tokens that have not expired yet, and cannot replace more. ` +
        "The token that was sent still works; a new password ends them all.",
      retryAfterSeconds: revocation.endsIn,
    });
  }
  if (successor) return signAgain(successor);
  const token = { userId, tokenId, tokenEpoch };
  return toAccessToken(await tokens.sign(token, tokenLifetimeSeconds), tokenLifetimeSeconds);
};
