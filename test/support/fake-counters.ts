import type { CredentialAccess } from "../../shared/accounts/access/access.ts";
import type { AccountCleanup } from "../../shared/accounts/limits/account-cleanup.ts";
import type { AccountRequest, CountedTask } from "../../shared/accounts/limits/account-counters.ts";
import type { LimitCounters } from "../../shared/accounts/limits/admit-request.ts";
import type { AddressRequest, Counts } from "../../shared/accounts/limits/limit-counters.ts";
import { accountPoliciesWith, defaultUnverifiedQuotaShare } from "../../shared/accounts/limits/policies.ts";

/** Counters whose responses a test decides, and the calls to them. */
export interface FakeCounters extends LimitCounters {
  readonly accounts: AccountRequest[];
  readonly addresses: AddressRequest[];
  readonly refunded: CountedTask[];
  /** How many tasks were counted beyond the first of each request that stands for several. */
  readonly moreTasks: number[];
  /** Released slots. */
  readonly released: string[];
  /** What was counted of usage by other writes than admissions, write by write. */
  readonly usage: Record<string, number>[];
  /** What was done for the items of accounts. */
  readonly cleanups: AccountCleanup[];
}

const first: Counts = { counted: true, minute: 1, day: 1, month: 1 };
const policyOf = accountPoliciesWith(defaultUnverifiedQuotaShare);

/** A verified account of the lowest tier, with a valid token. */
export const freeAccess: CredentialAccess = {
  account_type: "Free",
  disabled: false,
  token_epoch: 0,
  email_verified: true,
  isValid: true,
  key: undefined,
};

/**
 * @param respond by default that of a first request.
 * @param access what the token's account may do, where it differs from {@link freeAccess}.
 */
export const fakeCounters = (
  respond: (signal: AbortSignal) => Promise<Counts> = async () => first,
  access: Partial<CredentialAccess> = {},
): FakeCounters => {
  const accounts: AccountRequest[] = [];
  const addresses: AddressRequest[] = [];
  const refunded: CountedTask[] = [];
  const moreTasks: number[] = [];
  const released: string[] = [];
  const usage: Record<string, number>[] = [];
  const cleanups: AccountCleanup[] = [];
  const found = { ...freeAccess, ...access };
  const status = { access: found, policy: { ...policyOf(found), perMonthOfKey: found.key?.l } };
  return {
    accounts,
    addresses,
    refunded,
    moreTasks,
    released,
    usage,
    cleanups,
    readCounts: async () => ({ counted: false, minute: 0, day: 0, month: 0, status }),
    countMoreTasks: (_task, more, signal) => {
      moreTasks.push(more);
      return respond(signal);
    },
    refund: async (task, pending) => {
      refunded.push(task);
      if (pending.size > 0) usage.push(Object.fromEntries(pending));
    },
    releaseSlots: async (_userId, slots, pending) => {
      released.push(...slots);
      if (pending) usage.push(Object.fromEntries(pending));
    },
    addUsage: async (_userId, pending) => {
      usage.push(Object.fromEntries(pending));
    },
    cleanUp: async (cleanup) => {
      cleanups.push(cleanup);
    },
    countForAccount: async (request, signal) => {
      accounts.push(request);
      return { ...(await respond(signal)), status };
    },
    countForAddress: (request, signal) => {
      addresses.push(request);
      return respond(signal);
    },
  };
};
