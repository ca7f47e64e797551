import { AppError } from "../../platform/errors/app-error.ts";
import type { AccountWithPassword, StoredAccount } from "../access/account.ts";
import type { AccountsRepository } from "../repositories/accounts-repository.ts";
import type { PasswordGuard } from "./password-guard.ts";
import { verifyPassword } from "./passwords.ts";

/** The password of a caller with a token of the account. */
export interface ConfirmedPassword {
  readonly password: string;
  /** The field of the request that holds it. */
  readonly param: "old_password" | "password";
}

export interface PasswordDependencies {
  readonly accounts: Pick<AccountsRepository, "findWithPassword">;
  readonly passwordGuard: PasswordGuard;
}

/** The error for a wrong password. */
export const wrongPassword = (param: ConfirmedPassword["param"]): AppError =>
  new AppError("invalid_credentials", { message: `The ${param.replace("_", " ")} is wrong.`, param });

/**
 * Requires the password of an account from a caller with a token of it. Wrong passwords at sign-in, which any client can
 * send, are counted separately.
 *
 * @throws AppError `unauthenticated` when the account is gone; `bad_request` when it has no password; `invalid_credentials`
 * for a wrong one; `rate_limited` after several.
 */
export const confirmPassword = async (
  userId: number,
  { password, param }: ConfirmedPassword,
  { accounts, passwordGuard }: PasswordDependencies,
): Promise<AccountWithPassword> => {
  const account = await accounts.findWithPassword({ id: userId });
  if (!account) throw new AppError("unauthenticated");
  if (!account.has_password) {
    throw new AppError("bad_request", {
      message:
        "This account signs in through an identity provider and has no password. Set one first, on the page /console/account.",
    });
  }
  const isRight = await passwordGuard.confirm(
    userId,
    async () => (await verifyPassword(password, account.password_hash)) || undefined,
  );
  if (!isRight) throw wrongPassword(param);
  return account;
};

/**
 * Requires the password of an account from a person who holds no token of it, such as one who opened a mailed link. Wrong passwords
 * count as wrong passwords at sign-in.
 *
 * @throws AppError `invalid_credentials`; `rate_limited` during the wait after wrong passwords.
 */
export const confirmOwner = async (
  { id, email }: Pick<StoredAccount, "id" | "email">,
  password: string,
  sourceAddress: string,
  { accounts, passwordGuard }: PasswordDependencies,
): Promise<void> => {
  const isRight = await passwordGuard.attempt({ name: email, sourceAddress }, async () => {
    const found = await accounts.findWithPassword({ id });
    return (await verifyPassword(password, found?.password_hash)) || undefined;
  });
  if (!isRight) throw wrongPassword("password");
};
