import { AppError } from "../../platform/errors/app-error.ts";
import type { StoredAccount } from "../access/account.ts";
import type { AccountsRepository } from "../repositories/accounts-repository.ts";
import type { PasswordGuard } from "./password-guard.ts";
import { verifyPassword } from "./passwords.ts";

/** What deleting an account touches. */
export interface DeletionDependencies {
  readonly accounts: AccountsRepository;
  readonly passwordGuard: PasswordGuard;
  /** Deletes an account with everything of it; goes on where an earlier call failed. */
  readonly eraseAccount: (account: StoredAccount, signal: AbortSignal) => Promise<void>;
}

/**
 * Deletes an account with everything of it, once its password has confirmed that this is wanted. When it fails midway the
 * account is closed, and the same call does the rest.
 *
 * @throws AppError `unauthenticated` when the account is gone; `invalid_credentials` for a wrong password; `rate_limited`
 * after several; `bad_request` for accounts without a password; what the store throws.
 */
export const deleteWithPassword = async (
  userId: number,
  password: string,
  signal: AbortSignal,
  { accounts, passwordGuard, eraseAccount }: DeletionDependencies,
): Promise<void> => {
  const account = await accounts.findWithPassword({ id: userId });
  if (!account) throw new AppError("unauthenticated");
  if (!account.has_password) {
    throw new AppError("bad_request", {
      message:
        "This account signs in through an identity provider and has no password yet; set one on the page /console/account, and delete the account with it.",
    });
  }
  const matches = await passwordGuard.confirm(
    userId,
    async () => (await verifyPassword(password, account.password_hash)) || undefined,
  );
  if (!matches) {
    throw new AppError("invalid_credentials", { message: "The password is not right.", param: "password" });
  }
  await eraseAccount(account, signal);
};
