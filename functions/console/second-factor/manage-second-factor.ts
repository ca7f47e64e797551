import type { StoredAccount } from "../../../shared/accounts/access/account.ts";
import { requestNotice } from "../../../shared/accounts/mail/mail-queue.ts";
import type { FinishedSetUp, SetUpOwner } from "../../../shared/accounts/second-factor/second-factors.ts";
import { confirmCode } from "../../../shared/accounts/sign-in/check-code.ts";
import { confirmPassword } from "../../../shared/accounts/sign-in/confirm-password.ts";
import type { SignInDependencies } from "../../../shared/accounts/sign-in/dependencies.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";

/** What managing a second factor needs. */
export type SecondFactorDependencies = Pick<
  SignInDependencies,
  "accounts" | "mailQueue" | "passwordGuard" | "secondFactors"
>;

type Owner = Pick<StoredAccount, "id" | "has_password">;

/** The password of an account that has one. */
const confirmIfItHasOne = async (
  { id, has_password: hasPassword }: Owner,
  password: string | undefined,
  dependencies: SecondFactorDependencies,
): Promise<void> => {
  if (!hasPassword) return;
  await confirmPassword(id, { password: password ?? "", param: "password" }, dependencies);
};

const gone = (): AppError =>
  new AppError("bad_request", { message: "The second factor of the account has changed meanwhile." });

/**
 * Starts the set-up of a second factor, which a first code finishes. The caller has confirmed the act.
 *
 * @param owner its session may finish it; other sessions of the account do not see its secret.
 * @throws AppError `bad_request` when the account has a second factor.
 */
export const startSecondFactor = async (
  owner: SetUpOwner,
  { secondFactors }: Pick<SecondFactorDependencies, "secondFactors">,
): Promise<void> => {
  if (!(await secondFactors.startSetUp(owner))) throw gone();
};

/**
 * Turns the second factor on with a first code, which ends all sessions and access tokens. Wrong ones are not counted: they reveal nothing about a secret that its owner
 * has just been shown.
 *
 * @throws AppError `invalid_code`.
 */
export const finishSecondFactor = async (
  owner: SetUpOwner,
  code: string,
  { secondFactors, mailQueue }: SecondFactorDependencies,
): Promise<Exclude<FinishedSetUp, { kind: "wrong-code" }>> => {
  const finished = await secondFactors.finishSetUp(owner, code);
  if (finished.kind === "wrong-code") throw new AppError("invalid_code", { param: "code" });
  if (finished.kind === "on") {
    await requestNotice({ kind: "second-factor-on", userId: owner.userId }, { mailQueue });
  }
  return finished;
};

/** Replaces all recovery codes, and reports it with a mail. @throws AppError as {@link confirmCode}. */
export const renewRecoveryCodes = async (
  userId: number,
  code: string,
  dependencies: SecondFactorDependencies,
): Promise<readonly string[]> => {
  await confirmCode(userId, { code, param: "code" }, dependencies);
  const codes = await dependencies.secondFactors.replaceCodes(userId);
  if (!codes) throw gone();
  await requestNotice({ kind: "recovery-codes-replaced", userId }, dependencies);
  return codes;
};

/**
 * Turns the second factor off with the password, if the account has one, and a code.
 *
 * @throws AppError as {@link confirmPassword} and {@link confirmCode}.
 */
export const turnOffSecondFactor = async (
  account: Owner,
  {
    password,
    turn_off_code: code,
  }: { readonly password?: string | undefined; readonly turn_off_code: string },
  dependencies: SecondFactorDependencies,
): Promise<void> => {
  const { accounts, mailQueue } = dependencies;
  await confirmIfItHasOne(account, password, dependencies);
  await confirmCode(account.id, { code, param: "turn_off_code" }, dependencies);
  if (!(await accounts.removeSecondFactor(account.id))) throw gone();
  await requestNotice({ kind: "second-factor-off", userId: account.id }, { mailQueue });
};
