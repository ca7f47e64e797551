import { AppError } from "../../platform/errors/app-error.ts";
import type { AccountAtEpoch, StoredAccount } from "../access/account.ts";
import { newTokenId } from "../access/tokens.ts";
import type { DeletionDependencies } from "./delete-account.ts";
import type { SignInDependencies } from "./dependencies.ts";
import type { AccessToken, TokenRequest } from "./fields.ts";
import { verifyPassword } from "./passwords.ts";

/** A signed token as the API returns it. */
export const toAccessToken = (token: string, lifetimeSeconds: number | undefined): AccessToken => ({
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

/** Where a sign-in comes from, and until when it may take. */
interface SignInRequest {
  readonly sourceAddress: string;
  readonly signal: AbortSignal;
}

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
