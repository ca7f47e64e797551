import type { StoredAccount } from "../../shared/accounts/account.ts";
import { bearerToken, type TokenClaims } from "../../shared/auth/tokens.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import type { AuthDependencies } from "./dependencies.ts";
import { verifyPassword } from "./passwords.ts";

/** Who asks for a deletion, and how much time there is. */
interface DeletionRequest {
  readonly authorization: string | undefined;
  readonly password: string;
  readonly signal: AbortSignal;
}

type Dependencies = Pick<
  AuthDependencies,
  "accounts" | "eraseAccount" | "tokenStands" | "passwordGuard" | "tokens"
>;

/**
 * The account that a token stands for. Deletion revokes the tokens first of all; each that was issued before may ask
 * again, so that whoever was told of a failure can have the rest done.
 */
const accountOf = async (
  claims: TokenClaims | undefined,
  { accounts, tokenStands }: Dependencies,
): Promise<StoredAccount> => {
  const account = claims && (await accounts.find({ id: claims.userId }));
  const isAllowed = account?.deletion_began !== undefined || (claims && (await tokenStands(claims)));
  if (!account || !isAllowed) throw new AppError("unauthenticated");
  if (account.disabled) throw new AppError("forbidden");
  return account;
};

/**
 * Deletes the caller's account with everything of it. When it fails midway the account is closed, and the same request
 * does the rest.
 *
 * @throws AppError `unauthenticated`; `forbidden` for a disabled account; `invalid_credentials` for a wrong password;
 * `rate_limited` after several; `bad_request` for accounts that sign in elsewhere; what the store throws.
 */
export const deleteAccount = async (
  { authorization, password, signal }: DeletionRequest,
  dependencies: Dependencies,
): Promise<null> => {
  const { accounts, tokens, passwordGuard, eraseAccount } = dependencies;
  const token = bearerToken(authorization);
  const { id } = await accountOf(token ? await tokens.verify(token) : undefined, dependencies);
  const account = await accounts.findWithPassword({ id });
  if (!account) throw new AppError("unauthenticated");
  if (account.oauth_type !== "Credentials") {
    throw new AppError("bad_request", {
      message:
        "This account signs in through an external provider and has no password here; ask those who run the service to delete it.",
    });
  }
  const matches = await passwordGuard.confirm(
    id,
    async () => (await verifyPassword(password, account.password_hash)) || undefined,
  );
  if (!matches) {
    throw new AppError("invalid_credentials", { message: "The password is not right.", param: "password" });
  }
  await eraseAccount(account, signal);
  return null;
};
