import { AppError } from "../../platform/errors/app-error.ts";
import type { ItemUpdate } from "../../platform/storage/table.ts";
import { passwordChange, type StoredAccount } from "../access/account.ts";
import { requestNotice } from "../mail/mail-queue.ts";
import { confirmPassword, wrongPassword } from "./confirm-password.ts";
import type { SignInDependencies } from "./dependencies.ts";
import { type ActionOutcome, outcome } from "./fields.ts";
import { type ProofDependencies, proveAddress } from "./first-proof.ts";
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

/** The outcomes of a reset, for programs. */
export const resetOutcomes = {
  proved: outcome(
    "Your password has been changed, and the email address is verified. Everything from before has ended: tokens, sessions, keys, joined identities, the webhook secret and callbacks. Get a new token from POST /auth/token.",
  ),
  changed: outcome(
    "Your password has been changed, and every token of the account is revoked. Its keys and joined identities still work; DELETE /auth/keys revokes the keys. Get a new token from POST /auth/token.",
  ),
} as const;

/** What a reset needs. */
export type ResetDependencies = Pick<SignInDependencies, "accounts" | "links" | "passwordGuard"> &
  ProofDependencies;

/**
 * Sets a new password with the secret of a mailed link.
 *
 * While the address is not verified, the person who created the account may not be the person who reads its mails. The second
 * one gets the account, and nothing of the first one's remains valid.
 *
 * The same transaction uses the link and makes all changes: when something fails before, the link still works.
 *
 * @throws AppError `invalid_link`.
 */
export const resetPassword = async (
  { token, new_password: password }: { readonly token: string; readonly new_password: string },
  sourceAddress: string,
  dependencies: ResetDependencies,
): Promise<{ readonly userId: number; readonly kind: keyof typeof resetOutcomes }> => {
  const { accounts, links, apiKeys, identities, passwordGuard, mailQueue } = dependencies;
  const owner = await links.find(token, "reset-password");
  const account = owner && (await accounts.find({ id: owner.userId }));
  // The transaction checks the epoch again; checking it here saves the wait and the hash.
  if (!account || account.token_epoch !== owner.tokenEpoch) throw new AppError("invalid_link");
  const { id: userId } = account;
  // A caller who reads the account's mail need not wait for the guesses of others.
  await passwordGuard.forgive([account.username, account.email], sourceAddress);
  const hash = await hashPassword(password);
  if (!account.email_verified) {
    const write = (_: unknown, changes: readonly ItemUpdate[]) => links.resetPassword(token, changes);
    if (!(await proveAddress(account, hash, write, dependencies))) throw new AppError("invalid_link");
    return { userId, kind: "proved" };
  }
  const keys = (await apiKeys.list(userId)).map(({ name, prefix }) => ({ name, prefix }));
  const joined = (await identities.list(userId)).map(({ issuer, email }) => ({ issuer, email }));
  if (!(await links.resetPassword(token, passwordChange(owner, hash)))) throw new AppError("invalid_link");
  await requestNotice({ kind: "password-reset", userId, keys, identities: joined }, { mailQueue });
  return { userId, kind: "changed" };
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
 * Sets the first password of an account whose owner signs in through an identity provider, and reports it with a mail. The caller
 * has confirmed the act.
 *
 * @throws AppError `bad_request` when it has one already: then the old one is required.
 */
export const setFirstPassword = async (
  { id: userId, token_epoch: tokenEpoch, has_password: hasPassword }: StoredAccount,
  password: string,
  { accounts, mailQueue }: Pick<SignInDependencies, "accounts" | "mailQueue">,
): Promise<void> => {
  // The write compares the epoch: of two first passwords at once, one is set, and the other's session has ended.
  const isSet =
    !hasPassword && (await accounts.changePassword({ userId, tokenEpoch }, await hashPassword(password)));
  if (!isSet) {
    throw new AppError("bad_request", {
      message: "The account has a password already.",
      param: "new_password",
    });
  }
  await requestNotice({ kind: "security-notice", userId, event: "password-set" }, { mailQueue });
};
