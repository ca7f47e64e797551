import type { AccountType } from "../accounts/account.ts";

/**
 * Which limits an operation falls under.
 *
 * - `task`: the account's limit a minute, and its quota a day and a month
 * - `account`: the account's limit a minute only, for what the account does about itself
 * - `anonymous`: a limit a minute for each source address
 * - `credentials`: a stricter one, for all that takes or gives a password, a link or an account
 * - `none`: answered without counting
 */
export type LimitClass = AccountLimitClass | AddressLimitClass | "none";
export type AccountLimitClass = "task" | "account";
export type AddressLimitClass = "anonymous" | "credentials";

/** What an account may send in fixed windows of UTC; `undefined` where there is no limit. */
export interface AccountPolicy {
  /** Requests of all classes together. */
  readonly perMinute: number;
  /** Tasks. */
  readonly perDay: number | undefined;
  /** Tasks. */
  readonly perMonth: number | undefined;
}

/** The limits of each tier; the minute's is counted over all routes, not for each of them. */
export const accountPolicies: Readonly<Record<AccountType, AccountPolicy>> = {
  Free: { perMinute: 50, perDay: 500, perMonth: 5_000 },
  Premium: { perMinute: 100, perDay: 5_000, perMonth: 100_000 },
  Admin: { perMinute: 1_000, perDay: undefined, perMonth: undefined },
};

/** Requests a minute from one source address, by class. A stage can set other numbers. */
export type AddressLimits = Readonly<Record<AddressLimitClass, number>>;

/** What a deployed stage uses unless it is told otherwise. */
export const defaultAddressLimits: AddressLimits = { anonymous: 50, credentials: 10 };
