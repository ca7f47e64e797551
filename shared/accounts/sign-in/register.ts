import { type Account, toAccount } from "../access/account.ts";
import { requestNotice } from "../mail/mail-queue.ts";
import type { SignInDependencies } from "./dependencies.ts";
import type { RegisterRequest } from "./fields.ts";
import { hashPassword } from "./passwords.ts";

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
  // The account works without it, and its owner can request another one.
  await requestNotice({ kind: "verify-email", userId: created.id }, { mailQueue });
  return toAccount(created);
};
