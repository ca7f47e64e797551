import { AppError } from "../../platform/errors/app-error.ts";
import type { AccountAtEpoch, StoredAccount } from "../access/account.ts";
import { newTokenId } from "../access/tokens.ts";
import { type CodeDependencies, signInWithCode } from "./check-code.ts";
import type { DeletionDependencies } from "./delete-account.ts";
import type { SignInDependencies } from "./dependencies.ts";
import type { AccessToken, TokenRequest } from "./fields.ts";
import { verifyPassword } from "./passwords.ts";

/** Formats a signed token for the API. */
export const toAccessToken = (token: string, lifetimeSeconds: number | undefined): AccessToken => ({
  access_token: token,
  token_type: "bearer",
  ...(lifetimeSeconds === undefined ? {} : { expires_in: lifetimeSeconds }),
});

/** Returns the account of a name and password. It takes as long when there is none. */
const findByPassword = async (
  username: string,
  password: string,
  accounts: SignInDependencies["accounts"],
): Promise<StoredAccount | undefined> => {
  // No username contains an @.
  const found = await accounts.findWithPassword(username.includes("@") ? { email: username } : { username });
  const matches = await verifyPassword(password, found?.password_hash);
  return matches ? found : undefined;
};

/** Where a sign-in comes from, and the signal that ends it. */
interface SignInRequest {
  readonly sourceAddress: string;
  readonly signal: AbortSignal;
}

/**
 * Returns the account of a username (or email address) and a password. An account with a second factor is not signed in yet:
 * {@link signInWithCode} comes next.
 *
 * Unknown names, wrong passwords and accounts without a password get the same response after the same work.
 *
 * No one can sign in to an account whose deletion has failed midway. Its owner wanted it deleted, so a sign-in with its
 * password deletes the rest.
 *
 * @throws AppError `invalid_credentials`; `forbidden` when the account is disabled, or was being deleted; `rate_limited`
 * during the wait after wrong passwords; what the store throws.
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
      message: "This account was being deleted. The rest of it has now been deleted.",
    });
  }
  if (found.disabled) throw new AppError("forbidden", { message: "This account is disabled." });

  if (!found.has_second_factor)
    await passwordGuard.rememberAddress([found.username, found.email], sourceAddress);
  return found;
};

/** Signs a token of an account whose owner has just signed in. */
export const issueTokenTo = async (
  owner: AccountAtEpoch,
  { tokens, tokenLifetimeSeconds }: Pick<SignInDependencies, "tokens" | "tokenLifetimeSeconds">,
): Promise<AccessToken> => {
  const token = { ...owner, tokenId: newTokenId() };
  return toAccessToken(await tokens.sign(token, tokenLifetimeSeconds), tokenLifetimeSeconds);
};

/**
 * Exchanges a username (or email address) and a password for a token; an account with a second factor needs a code as well.
 *
 * @throws AppError as {@link signIn} and {@link signInWithCode}; `second_factor_required` without a code.
 */
export const issueToken = async (
  request: TokenRequest,
  from: SignInRequest,
  dependencies: DeletionDependencies &
    CodeDependencies &
    Pick<SignInDependencies, "tokens" | "tokenLifetimeSeconds">,
): Promise<AccessToken> => {
  const account = await signIn(request, from, dependencies);
  if (account.has_second_factor) {
    if (!request.otp) throw new AppError("second_factor_required", { param: "otp" });
    await signInWithCode(account, { code: request.otp, param: "otp" }, from.sourceAddress, dependencies);
  }
  return issueTokenTo({ userId: account.id, tokenEpoch: account.token_epoch }, dependencies);
};
