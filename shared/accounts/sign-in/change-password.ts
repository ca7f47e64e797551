import { AppError } from "../../platform/errors/app-error.ts";
import type { StoredAccount } from "../access/account.ts";
import type { SignInDependencies } from "./dependencies.ts";
import type { ActionOutcome } from "./fields.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";

const changed: ActionOutcome = {
  success: true,
  error: null,
  message:
    "The password is changed; every token of the account is revoked. Get a new one from POST /auth/token.",
};

/** Asks for a mail with a reset link. The response, and the work for it, do not depend on whether anybody gets one. */
export const forgotPassword = async (
  email: string,
  { mailQueue }: Pick<SignInDependencies, "mailQueue">,
): Promise<ActionOutcome> => {
  await mailQueue.send({ kind: "reset-password", email });
  return {
    success: true,
    error: null,
    message: "If an account has this address, a mail with a link is on its way.",
  };
};

/**
 * Sets a new password with the secret of a mailed link.
 *
 * As long as nobody has verified the address, who made the account may be somebody else than who reads its mails: the second
 * gets it, and what the first has joined to it at identity providers opens it no more.
 *
 * Using the link up comes last, and in one with the new password: whatever fails on the way, the link still works.
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
  // The transaction checks the epoch again; here it saves those who have no right the wait and the hash.
  if (!account || account.token_epoch !== owner.tokenEpoch) throw new AppError("invalid_link");
  // Whoever opens the account's mail need not wait for what others have guessed.
  await passwordGuard.forgive([account.username, account.email], sourceAddress);
  if (!account.email_verified) {
    for (const { id } of await identities.list(account.id)) await identities.part(account.id, id);
  }
  const isReset = await links.resetPassword(token, owner, await hashPassword(password));
  if (!isReset) throw new AppError("invalid_link");
  return changed;
};

/**
 * Sets a new password for a caller who knows the old one.
 *
 * @throws AppError `invalid_credentials`; `bad_request` for accounts without a password; `rate_limited` after wrong
 * ones of callers with a token: those of log-ins, which anybody can make, are another matter.
 */
export const changePassword = async (
  userId: number,
  request: { readonly old_password: string; readonly new_password: string },
  { accounts, passwordGuard }: Pick<SignInDependencies, "accounts" | "passwordGuard">,
): Promise<ActionOutcome> => {
  const account = await accounts.findWithPassword({ id: userId });
  if (!account) throw new AppError("unauthenticated");
  if (!account.has_password) {
    throw new AppError("bad_request", {
      message:
        "This account signs in through an identity provider and has no password yet; set the first one on the page /console/account.",
    });
  }
  const matches = await passwordGuard.confirm(
    userId,
    async () => (await verifyPassword(request.old_password, account.password_hash)) || undefined,
  );
  const hash = matches && (await hashPassword(request.new_password));
  // Not changed when another password was set meanwhile: then the old one is not right any more.
  if (!hash || !(await accounts.changePassword({ userId, tokenEpoch: account.token_epoch }, hash))) {
    throw new AppError("invalid_credentials", {
      message: "The old password is not right.",
      param: "old_password",
    });
  }
  return changed;
};

/**
 * Sets the first password of an account whose owner signs in through an identity provider, and has just been told from others.
 *
 * @throws AppError `bad_request` when it has one already: then the old one has to be known.
 */
export const setFirstPassword = async (
  { id: userId, token_epoch: tokenEpoch, has_password: hasPassword }: StoredAccount,
  password: string,
  { accounts }: Pick<SignInDependencies, "accounts">,
): Promise<void> => {
  // The epoch is compared by the write: of two first passwords at the same moment one is set, and the other's session has ended.
  const isSet =
    !hasPassword && (await accounts.changePassword({ userId, tokenEpoch }, await hashPassword(password)));
  if (isSet) return;
  throw new AppError("bad_request", {
    message: "The account has a password already.",
    param: "new_password",
  });
};
