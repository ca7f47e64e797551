import type { Caller } from "../../shared/auth/caller.ts";
import { accountPolicies } from "../../shared/limits/policies.ts";
import { dateOf, windowsAt } from "../../shared/limits/windows.ts";
import type { AuthDependencies } from "./dependencies.ts";
import { shownUsageDays, type Usage } from "./usage-contract.ts";

const quota = (used: number, limit: number | undefined, end: number) => ({
  used,
  limit: limit ?? null,
  remaining: limit === undefined ? null : Math.max(0, limit - used),
  resets_at: new Date(end).toISOString(),
});

/** What the caller has used of its quota, today, this month and on each of the last 30 days. */
export const getUsage = async (
  { userId, accountType }: Pick<Caller, "userId" | "accountType">,
  { usage }: Pick<AuthDependencies, "usage">,
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
