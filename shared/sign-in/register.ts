import { type Account, toAccount } from "../accounts/account.ts";
import { describeErrorName, logger } from "../telemetry/logger.ts";
import type { SignInDependencies } from "./dependencies.ts";
import type { RegisterRequest } from "./fields.ts";
import { hashPassword } from "./passwords.ts";

/**
 * Creates an account and asks for its verification mail.
 *
 * Tier, identity provider, id and verification never come from the request.
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
  try {
    await mailQueue.send({ kind: "verify-email", userId: created.id });
  } catch (error) {
    // The account exists and works; its owner can ask for the mail again.
    logger.error("mail.not_queued", { reason: describeErrorName(error) });
  }
  return toAccount(created);
};
