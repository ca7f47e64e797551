import type { CodeDependencies } from "../../../shared/accounts/sign-in/check-code.ts";
import { confirmIdentity } from "../../../shared/accounts/sign-in/confirm-password.ts";
import type { SignInDependencies } from "../../../shared/accounts/sign-in/dependencies.ts";
import type { SignedIn } from "../server/visit.ts";

export type ConfirmationDependencies = Pick<SignInDependencies, "accounts"> & CodeDependencies;

/**
 * Requires proof that the person at the browser is the operator, before a change of tier, a deletion or an export: a browser
 * that was left open has a session too.
 *
 * @throws AppError as {@link confirmIdentity}.
 */
export const confirmOperator = async (
  { account }: SignedIn,
  { password }: { readonly password: string },
  dependencies: ConfirmationDependencies,
): Promise<void> => {
  await confirmIdentity(account.id, { password, param: "password" }, dependencies);
};
