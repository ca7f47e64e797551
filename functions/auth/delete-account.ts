import { requireAccess } from "../../shared/accounts/access/access.ts";
import type { StoredAccount } from "../../shared/accounts/access/account.ts";
import { type Credential, isOwn } from "../../shared/accounts/access/api-keys.ts";
import { readBearer } from "../../shared/accounts/access/verify-bearer.ts";
import { type DeletionDependencies, deleteConfirmed } from "../../shared/accounts/sign-in/delete-account.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { AuthDependencies } from "./dependencies.ts";

/** A request to delete an account. */
interface DeletionRequest {
  readonly authorization: string | undefined;
  readonly password: string;
  readonly signal: AbortSignal;
}

type Dependencies = DeletionDependencies & Pick<AuthDependencies, "findAccess" | "tokens">;

/**
 * Returns the account of a token. The deletion revokes all tokens first; each of them may repeat the request, so a caller can
 * complete a deletion that has failed.
 */
const accountOf = async (
  credential: Credential | undefined,
  { accounts, findAccess }: Dependencies,
): Promise<StoredAccount> => {
  if (!credential) throw new AppError("unauthenticated");
  const account = await accounts.find({ id: credential.userId });
  const isRepeated = account?.deletion_began !== undefined && isOwn(credential);
  if (!isRepeated) requireAccess(await findAccess(credential), credential, undefined);
  if (!account) throw new AppError("unauthenticated");
  if (account.disabled) throw new AppError("forbidden");
  return account;
};

/**
 * Deletes the caller's account and all its data. When it fails midway, the account is locked, and the same request does the
 * rest.
 *
 * @throws AppError `unauthenticated`; `insufficient_scope` for a key; `forbidden` for a disabled account;
 * what `confirmAct` and the store throw.
 */
export const deleteAccount = async (
  { authorization, password, signal }: DeletionRequest,
  dependencies: Dependencies,
): Promise<null> => {
  const { id } = await accountOf(await readBearer(dependencies.tokens.verify)(authorization), dependencies);
  await deleteConfirmed(id, { password }, signal, dependencies);
  return null;
};
