import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { Caller } from "../../shared/auth/caller.ts";
import { accountCounters, dayOfCounter, limitKeys } from "../../shared/limits/keys.ts";
import { numbersOf } from "../../shared/limits/limit-counters.ts";
import { accountPolicies } from "../../shared/limits/policies.ts";
import { dateOf, monthOf, windowsAt } from "../../shared/limits/windows.ts";
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
   */
  find(userId: number, until: number, days: number): Promise<AccountUsage>;
}

const dayMilliseconds = 24 * 60 * 60 * 1_000;

interface MutableDay {
  total: number;
  byOperation: Record<string, number>;
}

const monthItem = z.looseObject({ SK: z.string() });

/** Adds the counters of one month's item to the days they are of. */
const addMonth = (item: Readonly<Record<string, unknown>>, days: ReadonlyMap<string, MutableDay>): void => {
  const month = monthItem.parse(item).SK.slice("MONTH#".length);
  for (const [attribute, count] of numbersOf(item)) {
    const counter = dayOfCounter(attribute);
    const day = counter && days.get(`${month}-${String(counter.day).padStart(2, "0")}`);
    if (!day) continue;
    if (counter.operation === undefined) day.total = count;
    else if (count > 0) day.byOperation[counter.operation] = count;
  }
};

/** The repository of usage over the service's table; reads C1 of `shared/limits/README.md`. */
export const createUsageRepository = ({ client, name: TableName }: Table): UsageRepository => ({
  find: async (userId, until, count) => {
    const dates = Array.from({ length: count }, (_, index) =>
      dateOf(until - (count - 1 - index) * dayMilliseconds),
    );
    const first = limitKeys.account(userId, monthOf(until - (count - 1) * dayMilliseconds));
    const last = limitKeys.account(userId, monthOf(until));
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: "PK = :account AND SK BETWEEN :first AND :last",
        ExpressionAttributeValues: { ":account": last.PK, ":first": first.SK, ":last": last.SK },
        ConsistentRead: true,
      }),
    );
    const days = new Map<string, MutableDay>(dates.map((date) => [date, { total: 0, byOperation: {} }]));
    for (const item of Items) addMonth(item, days);
    const current = Items.find((item) => item["SK"] === last.SK);
    return {
      month: numbersOf(current).get(accountCounters.month) ?? 0,
      days: dates.map((date) => ({ date, ...(days.get(date) ?? { total: 0, byOperation: {} }) })),
    };
  },
});

const quota = (used: number, limit: number | undefined, end: number) => ({
  used,
  limit: limit ?? null,
  remaining: limit === undefined ? null : Math.max(0, limit - used),
  resets_at: new Date(end).toISOString(),
});

/** What the caller has used of its quota, today, this month and on each of the last 30 days. */
export const getUsage = async (
  { userId, accountType }: Pick<Caller, "userId" | "accountType">,
  { usage }: { readonly usage: UsageRepository },
  now: number = Date.now(),
): Promise<Usage> => {
  const { perMinute, perDay, perMonth } = accountPolicies[accountType];
  const { month, ends } = windowsAt(now);
  const found = await usage.find(userId, now, shownUsageDays);
  return {
    account_type: accountType,
    per_minute_limit: perMinute,
    today: { date: dateOf(now), ...quota(found.days.at(-1)?.total ?? 0, perDay, ends.day) },
    this_month: { month, ...quota(found.month, perMonth, ends.month) },
    days: found.days.map(({ date, total, byOperation }) => ({
      date,
      total,
      by_operation: { ...byOperation },
    })),
  };
};
