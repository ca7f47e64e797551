import type { AccountType } from "../accounts/account.ts";
import { raceDeadline } from "../outbound/timeouts.ts";
import type { LogEvent } from "../telemetry/log-events.ts";
import { describeError, logger } from "../telemetry/logger.ts";
import { type Admission, admissionOf, afterRefund, tasksAdmission, uncountedAdmission } from "./admission.ts";
import { addressGroup } from "./keys.ts";
import type { LimitCounters } from "./limit-counters.ts";
import { createMemoryLimits } from "./memory-limits.ts";
import {
  type AccountLimitClass,
  type AddressLimitClass,
  type AddressLimits,
  accountPolicies,
  defaultAddressLimits,
  type LimitClass,
} from "./policies.ts";
import { type Windows, windowsAt } from "./windows.ts";

/** A request, as far as limits look at it. */
export type LimitedRequest =
  | {
      readonly limitClass: AccountLimitClass;
      readonly userId: number;
      readonly accountType: AccountType;
      readonly operationId: string;
    }
  | { readonly limitClass: AddressLimitClass; readonly sourceAddress: string };

/** Counts requests and refuses those beyond a limit. */
export interface Limiter {
  /** Never rejects: while the store cannot count, far fewer requests are admitted, and the failure is logged. */
  admit(request: LimitedRequest): Promise<Admission>;
  /**
   * Counts the other tasks of an admitted request that stands for several: all of them, or none and the request is
   * refused. Never rejects, either.
   */
  admitTasks(admission: Admission, tasks: number): Promise<Admission>;
  /** Takes an admitted request off its account's quota again, where it was counted on one. Never rejects, either. */
  refund(admission: Admission): Promise<Admission>;
}

export interface LimiterOptions {
  /** Requests a minute by source address, where they differ from the usual ones. */
  readonly addressLimits?: Partial<AddressLimits>;
  /** Milliseconds of Unix time. */
  readonly now?: () => number;
  /** How long the store may take before a request is counted in memory only. */
  readonly timeoutMilliseconds?: number;
}

const defaultTimeoutMilliseconds = 500;

/** A limiter over counters that every instance of every function shares. */
export const createLimiter = (
  counters: LimitCounters,
  {
    addressLimits = {},
    now = Date.now,
    timeoutMilliseconds = defaultTimeoutMilliseconds,
  }: LimiterOptions = {},
): Limiter => {
  const perMinuteByAddress = { ...defaultAddressLimits, ...addressLimits };
  const memory = createMemoryLimits();

  /** The limits of a request, without a quota where its class has none, and how to count it. */
  const planOf = (request: LimitedRequest, windows: Windows) => {
    if ("sourceAddress" in request) {
      const { limitClass, sourceAddress } = request;
      const perMinute = perMinuteByAddress[limitClass];
      const group = addressGroup(sourceAddress);
      return {
        policy: { perMinute, perDay: undefined, perMonth: undefined },
        caller: `address ${limitClass} ${group}`,
        count: (signal: AbortSignal) =>
          counters.countForAddress({ group, limitClass, perMinute, windows }, signal),
      };
    }
    const { userId, accountType, limitClass, operationId } = request;
    const full = accountPolicies[accountType];
    const isTask = limitClass === "task";
    const policy = isTask ? full : { ...full, perDay: undefined, perMonth: undefined };
    const counted = { userId, policy, task: isTask ? operationId : undefined, tasks: 1, windows };
    return {
      policy,
      caller: `account ${userId}`,
      count: (signal: AbortSignal) => counters.countForAccount(counted, signal),
      ...(isTask ? { countedTask: counted } : {}),
    };
  };

  /** @returns `undefined` when the store failed, which is logged, or took too long. */
  const attempt = async <Result>(
    event: LogEvent,
    limitClass: LimitClass,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | undefined> => {
    try {
      return await raceDeadline(AbortSignal.timeout(timeoutMilliseconds), work);
    } catch (error) {
      logger.error(event, { limit_class: limitClass, reason: describeError(error) });
      return undefined;
    }
  };

  return {
    admit: async (request) => {
      const time = now();
      const windows = windowsAt(time);
      const { policy, caller, count, countedTask } = planOf(request, windows);
      const counts = await attempt("limits.not_counted", request.limitClass, count);
      if (!counts) {
        const isAdmitted = memory.admit(caller, policy.perMinute, windows);
        return uncountedAdmission(policy, isAdmitted, windows, time);
      }
      const admission = admissionOf(policy, counts, windows, time);
      return counts.counted && countedTask ? { ...admission, countedTask } : admission;
    },

    admitTasks: async ({ countedTask, ...admission }, tasks) => {
      if (!countedTask) return admission;
      if (tasks <= 1) return { ...admission, countedTask };
      const counts = await attempt("limits.not_counted", "task", (signal) =>
        counters.countMoreTasks(countedTask, tasks - 1, signal),
      );
      if (counts) return tasksAdmission({ ...admission, countedTask }, tasks - 1, counts, now());
      const { userId, policy, windows } = countedTask;
      const isAdmitted = memory.admit(`account ${userId}`, policy.perMinute, windows);
      return { ...uncountedAdmission(policy, isAdmitted, windows, now()), countedTask };
    },

    refund: async ({ countedTask, ...admission }) => {
      if (!countedTask) return admission;
      const isRefunded = await attempt("limits.not_refunded", "task", async (signal) => {
        await counters.refund(countedTask, signal);
        return true;
      });
      return isRefunded
        ? { ...admission, statuses: afterRefund(admission.statuses, countedTask.tasks) }
        : admission;
    },
  };
};
