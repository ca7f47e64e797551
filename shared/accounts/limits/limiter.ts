import { dependencyUnavailable } from "../../platform/errors/dependency-failure.ts";
import { withinTime } from "../../platform/outbound/timeouts.ts";
import { describeError, logger } from "../../platform/telemetry/logger.ts";
import { createAccountCounters } from "./account-counters.ts";
import { type Admission, afterRefund, tasksAdmission } from "./admission.ts";
import {
  admitAccount,
  admitAddress,
  type LimitCounters,
  type LimitedAccountRequest,
  type LimiterParts,
  type OpenRequest,
} from "./admit-request.ts";
import { createAddressCounters, type LimitTable } from "./limit-counters.ts";
import { createMemoryLimits } from "./memory-limits.ts";
import { createPendingUsage, type RequestEnd } from "./pending-usage.ts";
import {
  type AddressLimits,
  accountPoliciesWith,
  defaultAddressLimits,
  defaultUnverifiedQuotaShare,
} from "./policies.ts";
import { usageCounter } from "./usage-counters.ts";

/** The counters in the service's table. */
export const createLimitCounters = (
  table: LimitTable,
  unverifiedQuotaShare = defaultUnverifiedQuotaShare,
  multiplier = 1,
): LimitCounters => ({
  ...createAccountCounters(table, accountPoliciesWith(unverifiedQuotaShare, multiplier)),
  ...createAddressCounters(table),
});

/** What the limiter needs to know about a request. */
export type LimitedRequest = LimitedAccountRequest | OpenRequest;

/** Counts requests, and refuses those beyond a limit or with an invalid token or key. */
export interface Limiter {
  /**
   * Counts a request. When the table does not count it, which is logged, a request of an account is refused; its token or
   * key is still checked. Far fewer requests without either are admitted.
   *
   * @throws AppError, only for a request with a token or a key: `unauthenticated` when it was revoked, `forbidden` when its
   * account is disabled, `insufficient_scope` when it does not have the scope, `service_unavailable` when none of this can
   * be checked.
   */
  admit(request: LimitedRequest): Promise<Admission>;
  /** Counts the other tasks of an admitted request, all of them, or none and refuses the request. Never rejects. */
  admitTasks(admission: Admission, tasks: number): Promise<Admission>;
  /**
   * Deducts an admitted request from its account's quota and usage, if it was counted there. Never rejects.
   *
   * @param options.isError whether the caller gets an error, which is counted; by default yes.
   */
  refund(admission: Admission, options?: { readonly isError?: boolean }): Promise<Admission>;
  /**
   * Ends an admitted request after its response: releases its stream slot, and counts its usage now or with a later write.
   * Never rejects.
   *
   * @param end by default that of a request that has used nothing.
   */
  release(admission: Admission, end?: RequestEnd): Promise<void>;
}

export interface LimiterOptions {
  /** Requests a minute by source address, where they differ from the default. */
  readonly addressLimits?: Partial<AddressLimits>;
  /** Milliseconds of Unix time. */
  readonly now?: () => number;
  /** How long to wait for the table, by default longer for accounts than for addresses. */
  readonly timeoutMilliseconds?: number;
}

/** A request of an account is not executed unless it is counted, so waiting is better than refusing. */
const accountMilliseconds = 3_000;

/** Requests of addresses can be counted in memory. */
const addressMilliseconds = 500;

const nothingUsed: RequestEnd = { use: {}, hasFailed: false };

const openParts = (
  counters: LimitCounters,
  now: () => number,
  timeoutMilliseconds: number | undefined,
): LimiterParts => {
  const attempt: LimiterParts["attempt"] = async (event, limitClass, work) => {
    try {
      const isOfAccount = limitClass === "task" || limitClass === "account";
      const usualMilliseconds = isOfAccount ? accountMilliseconds : addressMilliseconds;
      return await withinTime(timeoutMilliseconds ?? usualMilliseconds, work);
    } catch (error) {
      logger.error(event, { limit_class: limitClass, reason: describeError(error) });
      return undefined;
    }
  };
  const pendingUsage = createPendingUsage(now, (userId, pending) =>
    attempt("limits.usage_not_counted", "task", (signal) => counters.addUsage(userId, pending, signal)),
  );
  return { counters, now, attempt, pendingUsage, memory: createMemoryLimits() };
};

/** A limiter over counters that all instances of all functions share. */
export const createLimiter = (
  counters: LimitCounters,
  { addressLimits = {}, now = Date.now, timeoutMilliseconds }: LimiterOptions = {},
): Limiter => {
  const perMinuteByAddress = { ...defaultAddressLimits, ...addressLimits };
  const parts = openParts(counters, now, timeoutMilliseconds);
  const { attempt, pendingUsage } = parts;

  return {
    admit: (request) =>
      "credential" in request
        ? admitAccount(request, parts)
        : admitAddress(request, perMinuteByAddress[request.limitClass], parts),

    admitTasks: async ({ countedTask, ...admission }, tasks) => {
      if (!countedTask) return admission;
      if (tasks <= 1) return { ...admission, countedTask };
      const counts = await attempt("limits.not_counted", "task", (signal) =>
        counters.countMoreTasks(countedTask, tasks - 1, signal),
      );
      return counts
        ? tasksAdmission({ ...admission, countedTask }, tasks - 1, counts, now())
        : { ...admission, countedTask, refusal: dependencyUnavailable() };
    },

    refund: async ({ countedTask, ...admission }, { isError = true } = {}) => {
      if (!countedTask) return admission;
      const { userId, operationId, keyId, windows } = countedTask;
      const error = usageCounter({ day: windows.day, operationId, keyId }, "errors");
      const pending = new Map(pendingUsage.take(userId));
      if (isError) pending.set(error, (pending.get(error) ?? 0) + 1);
      const isRefunded = await attempt("limits.not_refunded", "task", async (signal) => {
        await counters.refund(countedTask, pending, signal);
        return true;
      });
      return isRefunded
        ? { ...admission, statuses: afterRefund(admission.statuses, countedTask.tasks) }
        : admission;
    },

    release: async ({ slot, caller, countedTask, usageAccount, cleanup }, end = nothingUsed) => {
      const isQuiet = usageAccount !== undefined && pendingUsage.end(usageAccount, countedTask && end);
      if (slot !== undefined && caller) {
        const { userId } = caller;
        const pending = pendingUsage.take(userId);
        await attempt("limits.place_not_released", "task", (signal) =>
          counters.releaseSlots(userId, [slot], pending, signal),
        );
      } else if (isQuiet) {
        pendingUsage.write(usageAccount.userId);
      }
      await pendingUsage.written();
      if (cleanup) await attempt("limits.not_kept_up", "task", (signal) => counters.cleanUp(cleanup, signal));
    },
  };
};
