import { AppError } from "../../platform/errors/app-error.ts";
import type { StoredAccount } from "../access/account.ts";
import { type MailQueue, requestNotice } from "../mail/mail-queue.ts";
import type { SecondFactors, UsedCode } from "../second-factor/second-factors.ts";
import type { PasswordGuard } from "./password-guard.ts";

/** What checking codes needs. */
export interface CodeDependencies {
  readonly secondFactors: Pick<SecondFactors, "use">;
  readonly passwordGuard: PasswordGuard;
  readonly mailQueue: MailQueue;
}

/** The field of a request that holds a code. */
export type CodeParam = "code" | "otp" | "old_password" | "password" | "turn_off_code";

/** Whether an account has to set up a second factor before it may use the pages of operators. */
export const requiresSecondFactor = ({
  account_type: type,
  has_second_factor: hasSecondFactor,
}: Pick<StoredAccount, "account_type" | "has_second_factor">): boolean =>
  type === "Admin" && !hasSecondFactor;

/** Informs the owner by mail when a recovery code was used. */
export const reportUse = async (
  userId: number,
  used: UsedCode,
  { mailQueue }: Pick<CodeDependencies, "mailQueue">,
): Promise<void> => {
  if (used.kind !== "recovery") return;
  await requestNotice({ kind: "recovery-code-used", userId, codesLeft: used.codesLeft }, { mailQueue });
};

/**
 * Requires a code of the second factor from a person who has just shown the password, or came from an identity provider.
 * Afterwards the address is known as one of the owner's.
 *
 * @throws AppError `invalid_code`; `rate_limited` during the wait after wrong codes.
 */
export const signInWithCode = async (
  { id: userId, username, email }: Pick<StoredAccount, "id" | "username" | "email">,
  { code, param }: { readonly code: string; readonly param: CodeParam },
  sourceAddress: string,
  dependencies: CodeDependencies,
): Promise<void> => {
  const { secondFactors, passwordGuard } = dependencies;
  const used = await passwordGuard.attemptCode({ userId, name: username, sourceAddress }, () =>
    secondFactors.use(userId, code),
  );
  if (!used) throw new AppError("invalid_code", { param });
  await reportUse(userId, used, dependencies);
  await passwordGuard.rememberAddress([username, email], sourceAddress);
};

/**
 * Requires a code of the second factor from a caller with a session or token of the account.
 *
 * @throws AppError `invalid_code`; `rate_limited` after several wrong codes.
 */
export const confirmCode = async (
  userId: number,
  { code, param }: { readonly code: string; readonly param: CodeParam },
  dependencies: CodeDependencies,
): Promise<void> => {
  const { secondFactors, passwordGuard } = dependencies;
  const used = await passwordGuard.confirmCode(userId, () => secondFactors.use(userId, code));
  if (!used) throw new AppError("invalid_code", { param });
  await reportUse(userId, used, dependencies);
};
