import { AppError } from "../../platform/errors/app-error.ts";
import { dependencyUnavailable } from "../../platform/errors/dependency-failure.ts";
import type { Caller } from "../access/caller.ts";
import type { AccountCleanup } from "./account-cleanup.ts";
import type { CountedTask } from "./account-counters.ts";
import type { Counts } from "./limit-counters.ts";
import { uncountedPerMinute } from "./memory-limits.ts";
import type { UsageAccount } from "./pending-usage.ts";
import type { AccountPolicy, Quota } from "./policies.ts";
import { secondsUntil, type Windows } from "./windows.ts";

/** The status of one window for a caller. */
export interface WindowStatus {
  readonly window: "minute" | "day";
  readonly limit: number;
  /** Requests left in the window; `undefined` when they could not be counted. */
  readonly remaining: number | undefined;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

/** The limiter's decision about a request. */
export interface Admission {
  /** The windows that apply to the request, the minute first. */
  readonly statuses: readonly [WindowStatus, ...WindowStatus[]];
  /** `rate_limited` or `quota_exceeded`, when the request must not be executed. */
  readonly refusal: AppError | undefined;
  /** The caller, for a request with a valid token or key. */
  readonly caller?: Caller;
  /** The task that was counted on its account's quota, and that a refund deducts. */
  readonly countedTask?: CountedTask;
  /** The row for the usage of a task that was admitted, refunded or not. */
  readonly usageAccount?: UsageAccount;
  /** The cleanup to do after the request. */
  readonly cleanup?: AccountCleanup;
  /** The stream slot that the request has taken, until it is released. */
  readonly slot?: string;
}

const rateLimited = (limit: number, retryAfterSeconds: number) =>
  new AppError("rate_limited", {
    message: `Rate limit exceeded: ${limit} per 1 minute`,
    retryAfterSeconds,
  });

/** No one knows when a stream slot becomes free, but most streams end within seconds. */
const slotRetrySeconds = 5;

const tooManyStreams = (streamsAtOnce: number) =>
  new AppError("rate_limited", {
    message: `Too many streams: at most ${streamsAtOnce} at a time. End one, or wait until one has ended.`,
    retryAfterSeconds: slotRetrySeconds,
  });

const quotas = {
  day: { adjective: "Daily", limit: ({ perDay }: Quota) => `${perDay} a day` },
  month: { adjective: "Monthly", limit: ({ perMonth }: Quota) => `${perMonth} a month` },
} as const;

const quotaExceeded = (
  window: keyof typeof quotas,
  { onceVerified }: AccountPolicy,
  retryAfterSeconds: number,
  reason = "",
) => {
  const { adjective, limit } = quotas[window];
  const wayOut = onceVerified ? `; verify your email address to get ${limit(onceVerified)}` : "";
  return new AppError("quota_exceeded", {
    message: `${adjective} quota exceeded${reason}${wayOut}`,
    retryAfterSeconds,
  });
};

const keyExceeded = (perMonth: number, retryAfterSeconds: number, reason = "") =>
  new AppError("quota_exceeded", {
    message: `Monthly limit of this key exceeded${reason}; its owner has set it to ${perMonth} a month.`,
    retryAfterSeconds,
  });

const keyRateLimited = (limit: number, retryAfterSeconds: number) =>
  new AppError("rate_limited", {
    message: `Rate limit of this key exceeded; its owner has set it to ${limit} per 1 minute.`,
    retryAfterSeconds,
  });

/** Returns the limit that was reached. Limits are checked in this order: minute, streams, day, month, the key's own. */
const reachedLimit = (
  { minute, day, month, ofKey = 0, minuteOfKey = 0, streams = 0 }: Counts,
  policy: AccountPolicy,
  { ends }: Windows,
  now: number,
): AppError | undefined => {
  const { perMinute, perDay, perMonth, perMonthOfKey, perMinuteOfKey, streamsAtOnce } = policy;
  const minuteEnds = secondsUntil(ends.minute, now);
  if (minute >= perMinute) return rateLimited(perMinute, minuteEnds);
  if (perMinuteOfKey !== undefined && minuteOfKey >= perMinuteOfKey) {
    return keyRateLimited(perMinuteOfKey, minuteEnds);
  }
  if (streamsAtOnce !== undefined && streams >= streamsAtOnce) return tooManyStreams(streamsAtOnce);
  if (perDay !== undefined && day >= perDay) return quotaExceeded("day", policy, secondsUntil(ends.day, now));
  const monthEnds = secondsUntil(ends.month, now);
  if (perMonth !== undefined && month >= perMonth) return quotaExceeded("month", policy, monthEnds);
  return perMonthOfKey !== undefined && ofKey >= perMonthOfKey
    ? keyExceeded(perMonthOfKey, monthEnds)
    : undefined;
};

const left = (limit: number, used: number): number => Math.max(0, limit - used);

const leftOf = (limit: number | undefined, used: number): number =>
  limit === undefined ? Number.POSITIVE_INFINITY : left(limit, used);

/** Returns the tasks left today: the month's quota, or the key's own limit, may leave fewer than the day's. */
const leftToday = (
  perDay: number,
  { perMonth, perMonthOfKey }: AccountPolicy,
  { day, month, ofKey = 0 }: Counts,
): number => Math.min(left(perDay, day), leftOf(perMonth, month), leftOf(perMonthOfKey, ofKey));

const statusesOf = (
  policy: AccountPolicy,
  counts: Counts | undefined,
  { ends }: Windows,
  now: number,
): Admission["statuses"] => {
  const { perMinute, perMinuteOfKey } = policy;
  const minute: WindowStatus = {
    window: "minute",
    limit: Math.min(perMinute, perMinuteOfKey ?? perMinute),
    remaining:
      counts && Math.min(left(perMinute, counts.minute), leftOf(perMinuteOfKey, counts.minuteOfKey ?? 0)),
    resetSeconds: secondsUntil(ends.minute, now),
  };
  if (policy.perDay === undefined) return [minute];
  const day: WindowStatus = {
    window: "day",
    limit: policy.perDay,
    remaining: counts && leftToday(policy.perDay, policy, counts),
    resetSeconds: secondsUntil(ends.day, now),
  };
  return [minute, day];
};

/** Returns the statuses of the windows after a refund. */
export const afterRefund = (
  [minute, ...others]: Admission["statuses"],
  tasks: number,
): Admission["statuses"] => [
  minute,
  ...others.map((status) => ({
    ...status,
    remaining: status.remaining === undefined ? undefined : status.remaining + tasks,
  })),
];

/** The decision about a request that the table has counted or refused. @param now Unix milliseconds, within the windows. */
export const admissionOf = (
  policy: AccountPolicy,
  counts: Counts,
  windows: Windows,
  now: number,
): Admission => ({
  statuses: statusesOf(policy, counts, windows, now),
  refusal: counts.counted
    ? undefined
    : (reachedLimit(counts, policy, windows, now) ??
      quotaExceeded("month", policy, secondsUntil(windows.ends.month, now))),
});

/**
 * The decision about a request of an account that could not be counted: it is not executed. What was read of its counters
 * decides whether the caller has reached a limit or may send it again shortly.
 */
export const uncountedAdmission = (
  policy: AccountPolicy,
  counts: Counts,
  windows: Windows,
  now: number,
): Admission => ({
  statuses: statusesOf(policy, counts, windows, now),
  refusal: reachedLimit(counts, policy, windows, now) ?? dependencyUnavailable(),
});

/** The decision about a request whose other tasks were counted too, or were too many. */
export const tasksAdmission = (
  { countedTask, ...admission }: Admission & { readonly countedTask: CountedTask },
  more: number,
  counts: Counts,
  now: number,
): Admission => {
  const { policy, windows } = countedTask;
  const statuses = statusesOf(policy, counts, windows, now);
  if (counts.counted) {
    return { ...admission, statuses, countedTask: { ...countedTask, tasks: countedTask.tasks + more } };
  }
  const { perDay, perMonth, perMonthOfKey } = policy;
  const reason = `: the request counts as ${countedTask.tasks + more} tasks`;
  const isOver = (limit: number | undefined, used = 0) => limit !== undefined && used + more > limit;
  const refuse = (window: "day" | "month") =>
    quotaExceeded(window, policy, secondsUntil(windows.ends[window], now), reason);
  const isOfKey =
    perMonthOfKey !== undefined && !isOver(perDay, counts.day) && !isOver(perMonth, counts.month);
  const refusal = isOfKey
    ? keyExceeded(perMonthOfKey, secondsUntil(windows.ends.month, now), reason)
    : refuse(isOver(perDay, counts.day) ? "day" : "month");
  return { ...admission, statuses, countedTask, refusal };
};

/** The decision about a request of an address that was counted in memory only. */
export const memoryAdmission = (
  policy: AccountPolicy,
  isAdmitted: boolean,
  windows: Windows,
  now: number,
): Admission => ({
  statuses: statusesOf(policy, undefined, windows, now),
  refusal: isAdmitted
    ? undefined
    : new AppError("rate_limited", {
        message:
          "Requests cannot be counted now, so only " +
          `${uncountedPerMinute(policy.perMinute)} per 1 minute are admitted; try again shortly.`,
        retryAfterSeconds: secondsUntil(windows.ends.minute, now),
      }),
});
