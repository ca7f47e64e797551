import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { type AccountType, accountAccess } from "../../shared/accounts/account.ts";
import { accountKeys } from "../../shared/accounts/keys.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import { accountCounters } from "../../shared/limits/keys.ts";
import { numbersOf } from "../../shared/limits/limit-counters.ts";
import { type AccountPolicy, accountPoliciesWith } from "../../shared/limits/policies.ts";
import { readUsageCounter } from "../../shared/limits/usage-counters.ts";
import { dateOf, dateOfDay, windowsAt } from "../../shared/limits/windows.ts";
import type { Table } from "../../shared/storage/table.ts";
import { shownUsageDays, type Usage } from "./account-contract.ts";

/** The tasks of one day. */
export interface DayUsage {
  /** As in `2026-11-20`. */
  readonly date: string;
  readonly total: number;
  readonly byOperation: Readonly<Record<string, number>>;
}

/** What an account has used of its quota. */
export interface AccountUsage {
  readonly accountType: AccountType;
  readonly policy: AccountPolicy;
  /** Tasks in the month of the last day. */
  readonly month: number;
  /** Each day that was asked for, oldest first. */
  readonly days: readonly DayUsage[];
}

/** The counted tasks of accounts. */
export interface UsageRepository {
  /**
   * @param until the last moment that counts, in milliseconds of Unix time
   * @param days how many days to give, that of `until` included; at most 30
   * @returns `undefined` when there is no such account.
   */
  find(userId: number, until: number, days: number): Promise<AccountUsage | undefined>;
}

/** The repository of usage over the service's table; reads A5 of `shared/accounts/README.md`. */
export const createUsageRepository = (
  { client, name: TableName }: Table,
  unverifiedQuotaShare: number,
): UsageRepository => {
  const policyOf = accountPoliciesWith(unverifiedQuotaShare);
  return {
    find: async (userId, until, count) => {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: accountKeys.access(userId), ConsistentRead: true }),
      );
      if (!Item) return undefined;
      const access = accountAccess.parse(Item);
      const { day: last, month } = windowsAt(until);
      const counters = numbersOf(Item);
      const operations = new Map<number, Record<string, number>>();
      for (const [attribute, tasks] of counters) {
        const counter = readUsageCounter(attribute);
        if (counter?.unit !== "requests" || tasks <= 0) continue;
        const { day, operationId } = counter;
        const known = operations.get(day) ?? {};
        operations.set(day, { ...known, [operationId]: (known[operationId] ?? 0) + tasks });
      }
      const days = Array.from({ length: count }, (_, index) => last - (count - 1 - index));
      return {
        accountType: access.account_type,
        policy: policyOf(access),
        month: counters.get(accountCounters.month(month)) ?? 0,
        days: days.map((day) => ({
          date: dateOfDay(day),
          total: counters.get(accountCounters.day(day)) ?? 0,
          byOperation: operations.get(day) ?? {},
        })),
      };
    },
  };
};

const quota = (used: number, limit: number | undefined, end: number) => ({
  used,
  limit: limit ?? null,
  remaining: limit === undefined ? null : Math.max(0, limit - used),
  resets_at: new Date(end).toISOString(),
});

/**
 * What the caller has used of its quota, today, this month and on each of the last 30 days.
 *
 * @throws AppError `unauthenticated` when the account is gone.
 */
export const getUsage = async (
  userId: number,
  { usage }: { readonly usage: UsageRepository },
  now: number = Date.now(),
): Promise<Usage> => {
  const found = await usage.find(userId, now, shownUsageDays);
  if (!found) throw new AppError("unauthenticated");
  const { perMinute, perDay, perMonth, onceVerified } = found.policy;
  const { month, ends } = windowsAt(now);
  return {
    account_type: found.accountType,
    per_minute_limit: perMinute,
    today: { date: dateOf(now), ...quota(found.days.at(-1)?.total ?? 0, perDay, ends.day) },
    this_month: { month, ...quota(found.month, perMonth, ends.month) },
    once_verified: onceVerified ? { per_day: onceVerified.perDay, per_month: onceVerified.perMonth } : null,
    days: found.days.map(({ date, total, byOperation }) => ({
      date,
      total,
      by_operation: { ...byOperation },
    })),
  };
};
