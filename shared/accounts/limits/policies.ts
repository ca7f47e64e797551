import { hourSeconds } from "../../platform/durations.ts";
import { type AccountAccess, type AccountType, accountTypes } from "../access/account.ts";

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
  /** Tasks of the key that was sent, where its owner has given it a limit. */
  readonly perMonthOfKey?: number | undefined;
  /** Responses that may be under way at a time, of those that leave while they are made; without it any number. */
  readonly streamsAtOnce?: number;
  /** Of recordings that jobs transcribe, in seconds. */
  readonly audioSecondsPerMonth?: number | undefined;
  /** The quota that the account gets by verifying its e-mail address, when it has less before. */
  readonly onceVerified?: Quota;
}

/** Tasks of an account in a day and in a month. */
export interface Quota {
  readonly perDay: number;
  readonly perMonth: number;
}

/** The limits of each tier; the minute's is counted over all routes, not for each of them. */
const accountPolicies: Readonly<Record<AccountType, AccountPolicy>> = {
  Free: {
    perMinute: 50,
    perDay: 500,
    perMonth: 5_000,
    streamsAtOnce: 5,
    audioSecondsPerMonth: 3 * hourSeconds,
  },
  Premium: {
    perMinute: 100,
    perDay: 5_000,
    perMonth: 100_000,
    streamsAtOnce: 25,
    audioSecondsPerMonth: 100 * hourSeconds,
  },
  Admin: { perMinute: 1_000, perDay: undefined, perMonth: undefined, audioSecondsPerMonth: undefined },
};

/**
 * How long a place for a stream is kept when nobody gives it back, because its function was killed: as long as the longest
 * time-out of a function that streams.
 */
export const maxStreamSeconds = 600;

/** The share of its tier's quota that an account has until its e-mail address is verified. A stage can set another one. */
export const defaultUnverifiedQuotaShare = 0.1;

/** The limits of accounts as a stage has them. */
export type AccountPolicies = (
  account: Pick<AccountAccess, "account_type" | "email_verified">,
) => AccountPolicy;

/** Every account may do something, and an attribute that is not there yet would be below any limit. */
const shareOf = (limit: number, share: number): number => Math.max(1, Math.round(limit * share));

const unverifiedPolicy = (policy: AccountPolicy, share: number): AccountPolicy => {
  const { audioSecondsPerMonth, perDay, perMonth } = policy;
  if (perDay === undefined || perMonth === undefined || share >= 1) return policy;
  return {
    ...policy,
    perDay: shareOf(perDay, share),
    perMonth: shareOf(perMonth, share),
    audioSecondsPerMonth: audioSecondsPerMonth && shareOf(audioSecondsPerMonth, share),
    onceVerified: { perDay, perMonth },
  };
};

/** The limits of each account. @param unverifiedQuotaShare above 0, at most 1. */
export const accountPoliciesWith = (unverifiedQuotaShare: number): AccountPolicies => {
  const unverified = new Map(
    accountTypes.map((type) => [type, unverifiedPolicy(accountPolicies[type], unverifiedQuotaShare)]),
  );
  return ({ account_type: type, email_verified: isVerified }) =>
    (isVerified ? undefined : unverified.get(type)) ?? accountPolicies[type];
};

/** Requests a minute from one source address, by class. A stage can set other numbers. */
export type AddressLimits = Readonly<Record<AddressLimitClass, number>>;

/** What a deployed stage uses unless it is told otherwise. */
export const defaultAddressLimits: AddressLimits = { anonymous: 50, credentials: 10 };
