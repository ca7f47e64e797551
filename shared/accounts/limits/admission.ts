import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../access/caller.ts";
import type { AccountCleanup } from "./account-cleanup.ts";
import type { CountedTask } from "./account-counters.ts";
import type { Counts } from "./limit-counters.ts";
import { uncountedPerMinute } from "./memory-limits.ts";
import type { UsageAccount } from "./pending-usage.ts";
import type { AccountPolicy, Quota } from "./policies.ts";
import { secondsUntil, type Windows } from "./windows.ts";

/** What is left of one window for a caller. */
export interface WindowStatus {
  readonly window: "minute" | "day";
  readonly limit: number;
  /** Requests left in the window; `undefined` when they could not be counted. */
  readonly remaining: number | undefined;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

/** What the limiter found about a request. */
export interface Admission {
  /** Of every window that counts for the request, the minute's first. */
  readonly statuses: readonly [WindowStatus, ...WindowStatus[]];
  /** `rate_limited` or `quota_exceeded`, when the request must not be executed. */
  readonly refusal: AppError | undefined;
  /** Whose token or key the request has, where its operation asks for one: it stands. */
  readonly caller?: Caller;
  /** The task that was counted on its account's quota, which a refund takes off again. */
  readonly countedTask?: CountedTask;
  /** Where it is counted what the request has used, once it is over: of a task that was admitted, refunded or not. */
  readonly usageAccount?: UsageAccount;
  /** What is to be done for the account's items when the request is over. */
  readonly cleanup?: AccountCleanup;
  /** The place that the request has taken among its account's streams, until it is given back. */
  readonly slot?: string;
}

const rateLimited = (limit: number, retryAfterSeconds: number) =>
  new AppError("rate_limited", {
    message: `Rate limit exceeded: ${limit} per 1 minute`,
    retryAfterSeconds,
  });

/** Streams end when they end: nobody knows when there is a place again, but most are over within seconds. */
const slotRetrySeconds = 5;

const tooManyStreams = (streamsAtOnce: number) =>
  new AppError("rate_limited", {
    message: `Too many streams: ${streamsAtOnce} at a time; end one, or wait until one has ended.`,
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
  const wayOut = onceVerified ? `; verify your e-mail address to get ${limit(onceVerified)}` : "";
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

/** What stood in the way, in the order in which limits are checked: minute, streams at a time, day, month, the key's own. */
const refusalOf = (
  { counted, minute, day, month, streams = 0 }: Counts,
  policy: AccountPolicy,
  { ends }: Windows,
  now: number,
): AppError | undefined => {
  if (counted) return undefined;
  const { perMinute, perDay, perMonth, perMonthOfKey, streamsAtOnce } = policy;
  if (minute >= perMinute) return rateLimited(perMinute, secondsUntil(ends.minute, now));
  if (streamsAtOnce !== undefined && streams >= streamsAtOnce) return tooManyStreams(streamsAtOnce);
  if (perDay !== undefined && day >= perDay) return quotaExceeded("day", policy, secondsUntil(ends.day, now));
  const monthEnds = secondsUntil(ends.month, now);
  const isOfKey = perMonthOfKey !== undefined && !(perMonth !== undefined && month >= perMonth);
  return isOfKey ? keyExceeded(perMonthOfKey, monthEnds) : quotaExceeded("month", policy, monthEnds);
};

const left = (limit: number, used: number): number => Math.max(0, limit - used);

const leftOf = (limit: number | undefined, used: number): number =>
  limit === undefined ? Number.POSITIVE_INFINITY : left(limit, used);

/** What may still be sent today: the month's quota, or the key's own, can be nearer to its end than the day's. */
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
  const minute: WindowStatus = {
    window: "minute",
    limit: policy.perMinute,
    remaining: counts && left(policy.perMinute, counts.minute),
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

/** The statuses of the windows once the tasks of a request are off the quota again. */
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

/**
 * What a count means for the request.
 *
 * @param now milliseconds of Unix time, a moment of the windows
 */
export const admissionOf = (
  policy: AccountPolicy,
  counts: Counts,
  windows: Windows,
  now: number,
): Admission => ({
  statuses: statusesOf(policy, counts, windows, now),
  refusal: refusalOf(counts, policy, windows, now),
});

/** What it means for a request when the other tasks that it stands for were counted as well, or could not all be. */
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
  const reason = `: the request stands for ${countedTask.tasks + more} tasks`;
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

/** What it means for the request when the store could not count it, and memory has. */
export const uncountedAdmission = (
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
          "Requests cannot be counted at the moment, so only " +
          `${uncountedPerMinute(policy.perMinute)} per 1 minute are let in; try again shortly.`,
        retryAfterSeconds: secondsUntil(windows.ends.minute, now),
      }),
});
