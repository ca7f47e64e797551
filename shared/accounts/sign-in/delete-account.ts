import type { StoredAccount } from "../access/account.ts";
import type { CodeDependencies } from "./check-code.ts";
import { confirmAct, type GivenProof } from "./confirm-act.ts";
import type { SignInDependencies } from "./dependencies.ts";

/** What deleting an account needs. */
export interface DeletionDependencies
  extends Pick<SignInDependencies, "accounts" | "passwordGuard">,
    CodeDependencies {
  /** Deletes an account and everything that belongs to it; continues where an earlier call failed. */
  readonly eraseAccount: (account: StoredAccount, signal: AbortSignal) => Promise<void>;
}

/**
 * Deletes an account and everything that belongs to it, after its owner has confirmed it. When it fails midway, the account is locked, and the same call does the rest.
 *
 * @throws AppError as {@link confirmAct}; what the store throws.
 */
export const deleteConfirmed = async (
  userId: number,
  proof: GivenProof,
  signal: AbortSignal,
  dependencies: DeletionDependencies,
): Promise<void> => {
  const account = await confirmAct(userId, proof, dependencies);
  await dependencies.eraseAccount(account, signal);
};
