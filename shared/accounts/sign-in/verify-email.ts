import { AppError } from "../../platform/errors/app-error.ts";
import type { AccountAtEpoch, StoredAccount } from "../access/account.ts";
import type { LinkPurpose } from "../repositories/links-repository.ts";
import type { SignInDependencies } from "./dependencies.ts";
import type { ActionOutcome } from "./fields.ts";

type Dependencies = Pick<SignInDependencies, "accounts" | "links">;

const outcome = (message: string): ActionOutcome => ({ success: true, error: null, message });

/** How every request about an address ends that is verified already. */
export const alreadyVerified = outcome("The e-mail address is already verified.");

/** Whose link it is. @throws AppError `invalid_link`. */
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

/**
 * Marks the address of a verification link as verified. To follow the link again does no harm.
 *
 * @throws AppError `invalid_link`.
 */
export const verifyEmail = async (secret: string, dependencies: Dependencies): Promise<ActionOutcome> => {
  const { owner, account } = await findOwner(secret, "verify-email", dependencies);
  if (account.email_verified) return alreadyVerified;
  if (!(await dependencies.links.verifyEmail(secret, owner.userId))) throw new AppError("invalid_link");
  return outcome("The e-mail address is verified.");
};

/** Looks at a verification link and changes nothing. @throws AppError `invalid_link`. */
export const checkVerificationLink = async (
  secret: string,
  dependencies: Dependencies,
): Promise<ActionOutcome> => {
  const { account } = await findOwner(secret, "verify-email", dependencies);
  if (account.email_verified) return alreadyVerified;
  return outcome("The link works. Send its token with POST to verify the e-mail address.");
};

/** Looks at a link that resets a password and changes nothing. @throws AppError `invalid_link`. */
export const checkResetLink = async (secret: string, dependencies: Dependencies): Promise<ActionOutcome> => {
  const { owner, account } = await findOwner(secret, "reset-password", dependencies);
  if (account.token_epoch !== owner.tokenEpoch) throw new AppError("invalid_link");
  return outcome("The link works. Send its token and new_password with POST to set a new password.");
};

/** Asks for another verification mail, unless the address is verified already. */
export const resendVerification = async (
  userId: number,
  { accounts, mailQueue }: Pick<SignInDependencies, "accounts" | "mailQueue">,
): Promise<ActionOutcome> => {
  const account = await accounts.find({ id: userId });
  if (account?.email_verified) return alreadyVerified;
  await mailQueue.send({ kind: "verify-email", userId });
  return outcome("A verification mail is on its way.");
};
