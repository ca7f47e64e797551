import { invalidField } from "../../platform/errors/app-error.ts";
import { type AcceptedTerms, type Account, toAccount } from "../access/account.ts";
import { requestNotice } from "../mail/mail-queue.ts";
import type { SignInDependencies } from "./dependencies.ts";
import { hashPassword } from "./passwords.ts";
import type { RegisterRequest } from "./registration.ts";

/**
 * The record of accepted terms. @throws ValidationError for another version than the present one: no one can have read it here.
 */
export const acceptance = (
  version: string | null | undefined,
  { termsVersion }: Pick<SignInDependencies, "termsVersion">,
): AcceptedTerms | undefined => {
  if (version === null || version === undefined) return undefined;
  if (version !== termsVersion) {
    throw invalidField(["body", "accepted_terms"], `the version of the terms is ${termsVersion}`);
  }
  return { version, at: new Date().toISOString() };
};

/**
 * Creates an account and requests its verification mail. Tier, identity provider, id and verification never come from the
 * request.
 *
 * @throws AppError `username_taken` or `email_taken`; ValidationError for an unknown version of the terms.
 */
export const register = async (
  request: RegisterRequest,
  { accounts, mailQueue, termsVersion }: Pick<SignInDependencies, "accounts" | "mailQueue" | "termsVersion">,
): Promise<Account> => {
  const accepted = acceptance(request.accepted_terms, { termsVersion });
  const created = await accounts.create({
    username: request.username,
    email: request.email,
    password_hash: await hashPassword(request.password),
    organization: request.organization ?? "Unknown",
    full_name: request.full_name ?? undefined,
    organization_type: request.organization_type ?? undefined,
    sector: request.sector ?? undefined,
    ...(accepted ? { accepted_terms: accepted } : {}),
  });
  // The account works without it, and its owner can request another one.
  await requestNotice({ kind: "verify-email", userId: created.id }, { mailQueue });
  return toAccount(created);
};

/** Records that the owner of an account has accepted the present terms. @throws as {@link acceptance}. */
export const acceptTerms = async (
  userId: number,
  version: string,
  { accounts, termsVersion }: Pick<SignInDependencies, "accounts" | "termsVersion">,
): Promise<void> => {
  const accepted = acceptance(version, { termsVersion });
  if (accepted) await accounts.acceptTerms(userId, accepted);
};
