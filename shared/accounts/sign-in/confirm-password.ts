import { AppError } from "../../platform/errors/app-error.ts";
import type { AccountWithPassword, StoredAccount } from "../access/account.ts";
import type { AccountsRepository } from "../repositories/accounts-repository.ts";
import { readCode } from "../second-factor/recovery-codes.ts";
import { type CodeDependencies, confirmCode, reportUse } from "./check-code.ts";
import { minPasswordLength } from "./fields.ts";
import type { PasswordGuard } from "./password-guard.ts";
import { verifyPassword } from "./passwords.ts";

/** The password of a caller with a token of the account. */
export interface ConfirmedPassword {
  readonly password: string;
  /** The field of the request that holds it. */
  readonly param: "old_password" | "password";
}

interface PasswordDependencies {
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

/** No password is as short as a code of the app, with or without a space. */
const isShort = (password: string): boolean => password.trim().length < minPasswordLength;

/** A password may look like a recovery code, which is too long to be guessed: one attempt compares both. */
const confirmWithEither = async (
  { id: userId, password_hash: hash }: AccountWithPassword,
  { password, param }: ConfirmedPassword,
  dependencies: PasswordDependencies & CodeDependencies,
): Promise<void> => {
  const right = await dependencies.passwordGuard.confirm(userId, async () =>
    (await verifyPassword(password, hash)) ? "password" : dependencies.secondFactors.use(userId, password),
  );
  if (!right) throw wrongPassword(param);
  if (right !== "password") await reportUse(userId, right, dependencies);
};

/**
 * Requires the caller with a session or token of an account to confirm a dangerous act: with the password, or with a code of
 * the second factor where the account has one. One field takes both. Owners who sign in through an identity provider have
 * no password, and confirm with a code.
 *
 * @throws AppError as {@link confirmPassword} and {@link confirmCode}.
 */
export const confirmIdentity = async (
  userId: number,
  { password, param }: ConfirmedPassword,
  dependencies: PasswordDependencies & CodeDependencies,
): Promise<StoredAccount> => {
  const code = readCode(password);
  const account = code && (await dependencies.accounts.findWithPassword({ id: userId }));
  if (!account?.has_second_factor) return confirmPassword(userId, { password, param }, dependencies);
  if (isShort(password) || !account.has_password) {
    await confirmCode(userId, { code: password, param }, dependencies);
    return account;
  }
  if (code?.kind !== "recovery") return confirmPassword(userId, { password, param }, dependencies);
  await confirmWithEither(account, { password, param }, dependencies);
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
