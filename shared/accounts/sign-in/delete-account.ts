import type { StoredAccount } from "../access/account.ts";
import type { CodeDependencies } from "./check-code.ts";
import { confirmIdentity } from "./confirm-password.ts";
import type { SignInDependencies } from "./dependencies.ts";

/** What deleting an account needs. */
export interface DeletionDependencies
  extends Pick<SignInDependencies, "accounts" | "passwordGuard">,
    CodeDependencies {
  /** Deletes an account and everything that belongs to it; continues where an earlier call failed. */
  readonly eraseAccount: (account: StoredAccount, signal: AbortSignal) => Promise<void>;
}

/**
 * Deletes an account and everything that belongs to it, after its password, or a code of its second factor, has confirmed that
 * its owner wants this. When it fails midway, the account is locked, and the same call does the rest.
 *
 * @throws AppError as {@link confirmIdentity}; what the store throws.
 */
export const deleteWithPassword = async (
  userId: number,
  password: string,
  signal: AbortSignal,
  dependencies: DeletionDependencies,
): Promise<void> => {
  const account = await confirmIdentity(userId, { password, param: "password" }, dependencies);
  await dependencies.eraseAccount(account, signal);
};
