import { hourSeconds } from "../../platform/durations.ts";
import { type AccountAccess, type AccountType, accountTypes } from "../access/account-access.ts";

/**
 * Which limits apply to an operation.
 *
 * - `task`: the account's limit a minute, and its quota a day and a month
 * - `account`: the account's limit a minute only, for managing the account
 * - `anonymous`: a limit a minute for each source address
 * - `credentials`: a stricter one, for passwords, mailed links and registrations
 * - `reading`: a high limit a minute for each source address, counted in memory: documents, lists and pages
 * - `delivery`: not limited as requests. The messaging platform must never lose one: each person's messages are limited
 *   when they are replied to, and deliveries without a valid signature count as `reading`
 */
export type LimitClass = AccountLimitClass | OpenLimitClass;
/** The classes of operations without a token. */
export type OpenLimitClass = AddressLimitClass | "reading" | "delivery";
export type AccountLimitClass = "task" | "account";
export type AddressLimitClass = "anonymous" | "credentials";

/** The limits of an account in fixed windows of UTC; `undefined` for no limit. */
export interface AccountPolicy {
  /** Requests of all classes together. */
  readonly perMinute: number;
  /** Tasks. */
  readonly perDay: number | undefined;
  /** Tasks. */
  readonly perMonth: number | undefined;
  /** Tasks of the key, if its owner has set a limit. */
  readonly perMonthOfKey?: number | undefined;
  /** Requests of the key, if its owner has set a limit. */
  readonly perMinuteOfKey?: number | undefined;
  /** Streamed responses at a time. */
  readonly streamsAtOnce?: number;
  /** Recordings that jobs transcribe, in seconds. */
  readonly audioSecondsPerMonth?: number | undefined;
  /** Characters of lists, documents and translated recordings. */
  readonly charactersPerMonth?: number | undefined;
  /** The quota after the email address is verified, for an account that has less before. */
  readonly onceVerified?: Quota;
}

/** Tasks of an account in a day and in a month. */
export interface Quota {
  readonly perDay: number;
  readonly perMonth: number;
}

/** The limits of each tier; the minute's applies to all routes together. */
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

/** The characters that an account may translate a month, by tier. Operators have no limit. */
export type CharacterQuotas = Readonly<Record<Exclude<AccountType, "Admin">, number>>;

/** A stage can set others. */
export const defaultCharacterQuotas: CharacterQuotas = { Free: 500_000, Premium: 10_000_000 };

/** A stream slot whose function was killed expires after this long: the longest timeout of a function that streams. */
export const maxStreamSeconds = 600;

/** The share of its tier's quota that an account has until its email address is verified. A stage can set another. */
export const defaultUnverifiedQuotaShare = 0.1;

/** The limits of accounts as a stage has them. */
export type AccountPolicies = (
  account: Pick<AccountAccess, "account_type" | "email_verified">,
) => AccountPolicy;

/** At least 1: a missing counter would be below any limit. */
const shareOf = (limit: number, share: number): number => Math.max(1, Math.round(limit * share));

const unverifiedPolicy = (policy: AccountPolicy, share: number): AccountPolicy => {
  const { audioSecondsPerMonth, charactersPerMonth, perDay, perMonth } = policy;
  if (perDay === undefined || perMonth === undefined || share >= 1) return policy;
  return {
    ...policy,
    perDay: shareOf(perDay, share),
    perMonth: shareOf(perMonth, share),
    audioSecondsPerMonth: audioSecondsPerMonth && shareOf(audioSecondsPerMonth, share),
    charactersPerMonth: charactersPerMonth && shareOf(charactersPerMonth, share),
    onceVerified: { perDay, perMonth },
  };
};

const multipliedPolicy = (policy: AccountPolicy, multiplier: number): AccountPolicy => ({
  ...policy,
  perMinute: policy.perMinute * multiplier,
  perDay: policy.perDay && policy.perDay * multiplier,
  perMonth: policy.perMonth && policy.perMonth * multiplier,
  audioSecondsPerMonth: policy.audioSecondsPerMonth && policy.audioSecondsPerMonth * multiplier,
});

/**
 * Returns the limits of each account.
 *
 * @param unverifiedQuotaShare above 0, at most 1.
 * @param multiplier of requests, tasks and the minutes of jobs: 1 in a deployment, more on a developer's machine.
 */
export const accountPoliciesWith = (
  unverifiedQuotaShare: number,
  multiplier = 1,
  characterQuotas = defaultCharacterQuotas,
): AccountPolicies => {
  const policies = new Map(
    accountTypes.map((type) => {
      const charactersPerMonth = type === "Admin" ? undefined : characterQuotas[type];
      const verified = multipliedPolicy({ ...accountPolicies[type], charactersPerMonth }, multiplier);
      return [type, { verified, unverified: unverifiedPolicy(verified, unverifiedQuotaShare) }];
    }),
  );
  return ({ account_type: type, email_verified: isVerified }) =>
    policies.get(type)?.[isVerified ? "verified" : "unverified"] ?? accountPolicies[type];
};

/** Requests a minute from one source address, by class. A stage can set other limits. */
export type AddressLimits = Readonly<Record<AddressLimitClass, number>>;

/** Limits of a minute only. */
export const minutePolicy = (perMinute: number, perMinuteOfKey?: number): AccountPolicy => ({
  perMinute,
  ...(perMinuteOfKey === undefined ? {} : { perMinuteOfKey }),
  perDay: undefined,
  perMonth: undefined,
});

/**
 * Reading a minute, for each address and environment. Requests from loopback addresses never reach a deployment: on one
 * machine, all callers have one.
 */
export const readingLimits = { address: 600, loopback: 60_000 } as const;

/** A wider network may send as much as this many of its groups of addresses. */
export const groupsOfNetwork = 10 as const;

/**
 * A workshop or campus is one address for us, and its people log in in the same minute. Guessing is slowed down by the name of the
 * account, from any address.
 */
export const defaultAddressLimits: AddressLimits = { anonymous: 50, credentials: 60 };
