import { AppError } from "../../platform/errors/app-error.ts";
import type { StoredAccount } from "../access/account.ts";
import { confirmPassword, wrongPassword } from "./confirm-password.ts";
import type { SignInDependencies } from "./dependencies.ts";
import { type ActionOutcome, outcome } from "./fields.ts";
import { hashPassword } from "./passwords.ts";

const changed = outcome(
  "Your password has been changed, and every token of the account is revoked. Get a new one from POST /auth/token.",
);

/** Requests a mail with a reset link. The response, and its time, do not depend on whether the address has an account. */
export const forgotPassword = async (
  email: string,
  { mailQueue }: Pick<SignInDependencies, "mailQueue">,
): Promise<ActionOutcome> => {
  await mailQueue.send({ kind: "reset-password", email });
  return outcome("If an account has this address, we have sent it a link.");
};

/**
 * Sets a new password with the secret of a mailed link.
 *
 * While the address is not verified, the person who created the account may not be the person who reads its mails. The second
 * one gets the account, so the identities that the first one has joined are removed.
 *
 * The same transaction uses the link and sets the password, last of all: when something fails before, the link still works.
 *
 * @throws AppError `invalid_link`.
 */
export const resetPassword = async (
  { token, new_password: password }: { readonly token: string; readonly new_password: string },
  sourceAddress: string,
  {
    accounts,
    links,
    identities,
    passwordGuard,
  }: Pick<SignInDependencies, "accounts" | "links" | "identities" | "passwordGuard">,
): Promise<ActionOutcome> => {
  const owner = await links.find(token, "reset-password");
  const account = owner && (await accounts.find({ id: owner.userId }));
  // The transaction checks the epoch again; checking it here saves the wait and the hash.
  if (!account || account.token_epoch !== owner.tokenEpoch) throw new AppError("invalid_link");
  // A caller who reads the account's mail need not wait for the guesses of others.
  await passwordGuard.forgive([account.username, account.email], sourceAddress);
  if (!account.email_verified) {
    for (const { id } of await identities.list(account.id)) await identities.part(account.id, id);
  }
  const isReset = await links.resetPassword(token, owner, await hashPassword(password));
  if (!isReset) throw new AppError("invalid_link");
  return changed;
};

/** Sets a new password for a caller who knows the old one. @throws AppError as {@link confirmPassword}. */
export const changePassword = async (
  userId: number,
  request: { readonly old_password: string; readonly new_password: string },
  dependencies: Pick<SignInDependencies, "accounts" | "passwordGuard">,
): Promise<ActionOutcome> => {
  const old = { password: request.old_password, param: "old_password" } as const;
  const { token_epoch: tokenEpoch } = await confirmPassword(userId, old, dependencies);
  const hash = await hashPassword(request.new_password);
  // Not changed when another password was set meanwhile: then the old one is no longer right.
  if (await dependencies.accounts.changePassword({ userId, tokenEpoch }, hash)) return changed;
  throw wrongPassword("old_password");
};

/**
 * Sets the first password of an account whose owner has just signed in through an identity provider.
 *
 * @throws AppError `bad_request` when it has one already: then the old one is required.
 */
export const setFirstPassword = async (
  { id: userId, token_epoch: tokenEpoch, has_password: hasPassword }: StoredAccount,
  password: string,
  { accounts }: Pick<SignInDependencies, "accounts">,
): Promise<void> => {
  // The write compares the epoch: of two first passwords at once, one is set, and the other's session has ended.
  const isSet =
    !hasPassword && (await accounts.changePassword({ userId, tokenEpoch }, await hashPassword(password)));
  if (isSet) return;
  throw new AppError("bad_request", {
    message: "The account has a password already.",
    param: "new_password",
  });
};
