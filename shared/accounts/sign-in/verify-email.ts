import { AppError } from "../../platform/errors/app-error.ts";
import type { AccountAtEpoch, StoredAccount } from "../access/account.ts";
import type { LinkPurpose } from "../repositories/links-repository.ts";
import { confirmOwner } from "./confirm-password.ts";
import type { SignInDependencies } from "./dependencies.ts";
import { type ActionOutcome, outcome } from "./fields.ts";

type Dependencies = Pick<SignInDependencies, "accounts" | "links">;

/** The outcome of every request about an address that is verified already. */
export const alreadyVerified = outcome("The email address is already verified.");

/** Returns the owner of a link. @throws AppError `invalid_link`. */
const findOwner = async (
  secret: string,
  purpose: LinkPurpose,
  { accounts, links }: Dependencies,
): Promise<{ readonly owner: AccountAtEpoch; readonly account: StoredAccount }> => {
  const owner = await links.find(secret, purpose);
  const account = owner && (await accounts.find({ id: owner.userId }));
  if (!account) throw new AppError("invalid_link");
  return { owner, account };
};

/** Returns the account of a link. @throws AppError `invalid_link`. */
export const accountOfLink = async (
  secret: string,
  purpose: LinkPurpose,
  dependencies: Dependencies,
): Promise<StoredAccount> => (await findOwner(secret, purpose, dependencies)).account;

/** Marks the address of a verification link as verified. Repeating it does no harm. @throws AppError `invalid_link`. */
export const verifyEmail = async (secret: string, dependencies: Dependencies): Promise<ActionOutcome> => {
  const { owner, account } = await findOwner(secret, "verify-email", dependencies);
  if (account.email_verified) return alreadyVerified;
  if (!(await dependencies.links.verifyEmail(secret, owner.userId))) throw new AppError("invalid_link");
  return outcome("The email address is verified.");
};

/**
 * The same, for a person who knows the password of the account: reading its mails alone does not show that they created it.
 *
 * @throws AppError `invalid_link`; `invalid_credentials`; `rate_limited` during the wait after wrong passwords.
 */
export const verifyEmailWithPassword = async (
  { token, password }: { readonly token: string; readonly password: string },
  sourceAddress: string,
  dependencies: Dependencies & Pick<SignInDependencies, "passwordGuard">,
): Promise<ActionOutcome> => {
  const account = await accountOfLink(token, "verify-email", dependencies);
  await confirmOwner(account, password, sourceAddress, dependencies);
  return verifyEmail(token, dependencies);
};

/** Checks a verification link without using it. @throws AppError `invalid_link`. */
export const checkVerificationLink = async (
  secret: string,
  dependencies: Dependencies,
): Promise<ActionOutcome> => {
  const { account } = await findOwner(secret, "verify-email", dependencies);
  if (account.email_verified) return alreadyVerified;
  return outcome("The link works. To verify the email address, send its token with POST.");
};

/** Checks a link that resets a password without using it. @throws AppError `invalid_link`. */
export const checkResetLink = async (secret: string, dependencies: Dependencies): Promise<ActionOutcome> => {
  const { owner, account } = await findOwner(secret, "reset-password", dependencies);
  if (account.token_epoch !== owner.tokenEpoch) throw new AppError("invalid_link");
  return outcome("The link works. To set a new password, send its token and new_password with POST.");
};

/** Requests another verification mail, unless the address is verified already. */
export const resendVerification = async (
  userId: number,
  { accounts, mailQueue }: Pick<SignInDependencies, "accounts" | "mailQueue">,
): Promise<ActionOutcome> => {
  const account = await accounts.find({ id: userId });
  if (account?.email_verified) return alreadyVerified;
  await mailQueue.send({ kind: "verify-email", userId });
  return outcome("We have sent a new verification mail.");
};
