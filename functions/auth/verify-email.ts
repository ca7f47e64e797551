import { AppError } from "../../shared/errors/app-error.ts";
import type { AuthDependencies } from "./dependencies.ts";
import type { Outcome } from "./fields.ts";

/**
 * Uses up a verification link and marks the address as verified.
 *
 * @throws AppError `invalid_link`.
 */
export const verifyEmail = async (
  secret: string,
  { links }: Pick<AuthDependencies, "links">,
): Promise<Outcome> => {
  const userId = await links.find(secret, "verify-email");
  if (userId === undefined || !(await links.verifyEmail(secret, userId))) throw new AppError("invalid_link");
  return { success: true, error: null, message: "The e-mail address is verified." };
};

/** Asks for another verification mail, unless the address is verified already. */
export const resendVerification = async (
  userId: number,
  { accounts, mailQueue }: Pick<AuthDependencies, "accounts" | "mailQueue">,
): Promise<Outcome> => {
  const account = await accounts.findById(userId);
  if (account?.email_verified) {
    return { success: true, error: null, message: "The e-mail address is verified already." };
  }
  await mailQueue.send({ kind: "verify-email", userId });
  return { success: true, error: null, message: "A verification mail is on its way." };
};
