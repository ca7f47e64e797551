import { describeErrorName, logger } from "../../platform/telemetry/logger.ts";
import { type Account, toAccount } from "../access/account.ts";
import type { SignInDependencies } from "./dependencies.ts";
import type { RegisterRequest } from "./fields.ts";
import { hashPassword } from "./passwords.ts";

/** Requests the verification mail of a new account. The account works without it. */
export const requestVerification = async (
  userId: number,
  { mailQueue }: Pick<SignInDependencies, "mailQueue">,
): Promise<void> => {
  try {
    await mailQueue.send({ kind: "verify-email", userId });
  } catch (error) {
    // The owner can request another one.
    logger.error("mail.not_queued", { reason: describeErrorName(error) });
  }
};

/**
 * Creates an account and requests its verification mail. Tier, identity provider, id and verification never come from the
 * request.
 *
 * @throws AppError `username_taken` or `email_taken`.
 */
export const register = async (
  request: RegisterRequest,
  { accounts, mailQueue }: Pick<SignInDependencies, "accounts" | "mailQueue">,
): Promise<Account> => {
  const created = await accounts.create({
    username: request.username,
    email: request.email,
    password_hash: await hashPassword(request.password),
    organization: request.organization ?? "Unknown",
    full_name: request.full_name ?? undefined,
    organization_type: request.organization_type ?? undefined,
    sector: request.sector ?? undefined,
  });
  await requestVerification(created.id, { mailQueue });
  return toAccount(created);
};
