import { randomUUID } from "node:crypto";
import type { StoredAccount } from "../../shared/accounts/account.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import type { AccessToken, TokenRequest } from "./credentials-contract.ts";
import type { AuthDependencies } from "./dependencies.ts";
import { verifyPassword } from "./passwords.ts";

const expiryOf = (lifetimeSeconds: number | undefined): number | undefined =>
  lifetimeSeconds === undefined ? undefined : Math.floor(Date.now() / 1_000) + lifetimeSeconds;

const toAccessToken = (token: string, lifetimeSeconds: number | undefined): AccessToken => ({
  access_token: token,
  token_type: "bearer",
  ...(lifetimeSeconds === undefined ? {} : { expires_in: lifetimeSeconds }),
});

/** The account that a name and a password open. It takes as long when there is none. */
const findByPassword = async (
  username: string,
  password: string,
  accounts: AuthDependencies["accounts"],
): Promise<StoredAccount | undefined> => {
  // No user name has an @ in it.
  const found = await accounts.findWithPassword(username.includes("@") ? { email: username } : { username });
  const usesPassword = found?.oauth_type === "Credentials";
  const matches = await verifyPassword(password, usesPassword ? found.password_hash : undefined);
  return matches ? found : undefined;
};

/**
 * Exchanges user name (or e-mail address) and password for a token.
 *
 * Unknown names and wrong passwords get the same response after the same work. An account of an external identity
 * provider has no password here, whatever is sent.
 *
 * @throws AppError `invalid_credentials`; `forbidden` when the account is disabled; `rate_limited` while there is a
 * wait after wrong passwords.
 */
export const issueToken = async (
  { username, password }: TokenRequest,
  sourceAddress: string,
  {
    accounts,
    issuedTokens,
    tokens,
    passwordGuard,
    tokenLifetimeSeconds,
  }: Pick<
    AuthDependencies,
    "accounts" | "issuedTokens" | "tokens" | "passwordGuard" | "tokenLifetimeSeconds"
  >,
): Promise<AccessToken> => {
  const found = await passwordGuard.attempt({ name: username, sourceAddress }, () =>
    findByPassword(username, password, accounts),
  );
  if (!found) throw new AppError("invalid_credentials");
  if (found.deletion_began !== undefined) {
    throw new AppError("forbidden", { message: "This account is being deleted." });
  }
  if (found.disabled) throw new AppError("forbidden", { message: "This account is disabled." });

  await passwordGuard.rememberAddress([found.username, found.email], sourceAddress);
  const claims = { userId: found.id, tokenId: randomUUID() };
  await issuedTokens.add({
    ...claims,
    tokenEpoch: found.token_epoch,
    expiresAt: expiryOf(tokenLifetimeSeconds),
  });
  return toAccessToken(await tokens.sign(claims, tokenLifetimeSeconds), tokenLifetimeSeconds);
};

/**
 * Replaces the caller's token; the old one stops working at once.
 *
 * @throws AppError `unauthenticated` when the old token was replaced by a parallel call.
 */
export const refreshToken = async (
  caller: { readonly userId: number; readonly tokenId: string },
  {
    issuedTokens,
    tokens,
    tokenLifetimeSeconds,
  }: Pick<AuthDependencies, "issuedTokens" | "tokens" | "tokenLifetimeSeconds">,
): Promise<AccessToken> => {
  const claims = { userId: caller.userId, tokenId: randomUUID() };
  const rotated = await issuedTokens.rotate(
    { userId: caller.userId, tokenId: caller.tokenId },
    { tokenId: claims.tokenId, expiresAt: expiryOf(tokenLifetimeSeconds) },
  );
  if (!rotated) throw new AppError("unauthenticated");
  return toAccessToken(await tokens.sign(claims, tokenLifetimeSeconds), tokenLifetimeSeconds);
};
