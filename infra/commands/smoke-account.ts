import { randomBytes } from "node:crypto";
import { hashPassword } from "../../shared/accounts/sign-in/passwords.ts";
import { username as usernameField } from "../../shared/accounts/sign-in/registration.ts";
import type { accountRepositories } from "../../shared/wiring/accounts-from-environment.ts";
import { UsageError } from "../command-line.ts";

/** Accepts mails for any name after the plus, without harm to the sender's reputation. */
const mailboxOf = (username: string): string => `success+${username}@simulator.amazonses.com`;

/** Tasks of the key in a month: enough for a hundred releases, and a limit when the key leaks. */
const monthlyLimit = 5_000;

/**
 * Creates the account with which the smoke tests call a stage, with a verified address that no one reads, and its key.
 *
 * @returns the variables of the smoke tests; only digests of them are stored.
 * @throws UsageError for an invalid username; AppError `username_taken`.
 */
export const createSmokeAccount = async (
  username: string,
  { accounts, apiKeys }: Pick<ReturnType<typeof accountRepositories>, "accounts" | "apiKeys">,
): Promise<Readonly<Record<"SMOKE_USERNAME" | "SMOKE_PASSWORD" | "SMOKE_KEY", string>>> => {
  const valid = usernameField.safeParse(username);
  if (!valid.success) throw new UsageError(`${username}: ${valid.error.issues[0]?.message}`);
  const password = randomBytes(24).toString("base64url");
  const account = await accounts.create({
    username,
    email: mailboxOf(username),
    password_hash: await hashPassword(password),
    organization: "Smoke tests",
  });
  await accounts.setEmailVerified(account.id);
  // The smoke tests send more than the 50 requests a minute of a free account.
  await accounts.setAccountType(account.id, "Premium");
  const { key } = await apiKeys.create(
    { userId: account.id, tokenEpoch: account.token_epoch },
    { name: "smoke tests", scopes: undefined, expiresAt: undefined, monthlyLimit },
  );
  return { SMOKE_USERNAME: username, SMOKE_PASSWORD: password, SMOKE_KEY: key };
};
