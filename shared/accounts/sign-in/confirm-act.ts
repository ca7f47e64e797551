import { minuteSeconds } from "../../platform/durations.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { StoredAccount } from "../access/account.ts";
import { type CodeDependencies, confirmCode } from "./check-code.ts";
import { confirmPassword, type PasswordDependencies, wrongPassword } from "./confirm-password.ts";

/** What shows that a person is the owner of the account, beyond the session or token that anyone may have stolen. */
export type Proof = "code" | "password" | "recent-login";

/** How long a login counts as recent. */
export const recentLoginSeconds = 10 * minuteSeconds;

/** What every act needs that a session or token alone must not do: a code where there is a second factor, otherwise the password. */
export const requiredProof = ({
  has_second_factor: hasSecondFactor,
  has_password: hasPassword,
}: Pick<StoredAccount, "has_password" | "has_second_factor">): Proof => {
  if (hasSecondFactor) return "code";
  return hasPassword ? "password" : "recent-login";
};

/** Whether a person has logged in within the last ten minutes. @param provedAt Unix seconds. */
export const isRecentLogin = (provedAt: number | undefined, now: () => number = Date.now): boolean =>
  provedAt !== undefined && now() / 1_000 - provedAt < recentLoginSeconds;

/** What a person has shown. */
export interface GivenProof {
  /** The password, or a code of the second factor. */
  readonly password?: string | undefined;
  /** When the person last proved to be the owner; tokens do not say it. Unix seconds. */
  readonly provedAt?: number | undefined;
}

/** What confirming an act needs. */
export type ConfirmDependencies = PasswordDependencies & CodeDependencies;

const param = "password";

/**
 * Requires the proof that {@link requiredProof} names from a caller with a session or token of the account.
 *
 * @throws AppError `invalid_code` or `invalid_credentials`; `rate_limited` after several; `bad_request` without a recent login;
 * `unauthenticated` when the account is gone.
 */
export const confirmAct = async (
  userId: number,
  { password, provedAt }: GivenProof,
  dependencies: ConfirmDependencies,
): Promise<StoredAccount> => {
  const account = await dependencies.accounts.findWithPassword({ id: userId });
  if (!account) throw new AppError("unauthenticated");
  switch (requiredProof(account)) {
    case "code":
      if (password === undefined) throw new AppError("invalid_code", { param });
      await confirmCode(userId, { code: password, param }, dependencies);
      return account;
    case "password":
      if (password === undefined) throw wrongPassword(param);
      return confirmPassword(userId, { password, param }, dependencies);
    case "recent-login":
      if (isRecentLogin(provedAt)) return account;
      throw new AppError("bad_request", {
        message:
          "This account signs in through an identity provider and has no password. Set one first, on the page /console/account.",
      });
  }
};
