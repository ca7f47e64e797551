import type { AccountType } from "../accounts/account.ts";
import { raceDeadline } from "../outbound/timeouts.ts";
import type { LogEvent } from "../telemetry/log-events.ts";
import { logger } from "../telemetry/logger.ts";
import { type Admission, admissionOf } from "./admission.ts";
import type { LimitCounters } from "./limit-counters.ts";
import {
  type AccountLimitClass,
  type AddressLimitClass,
  type AddressLimits,
  accountPolicies,
  defaultAddressLimits,
} from "./policies.ts";
import { addressGroup } from "./source-address.ts";
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
  /** Never rejects: when the store cannot count, the request is admitted and the failure is logged. */
  admit(request: LimitedRequest): Promise<Admission>;
}

export interface LimiterOptions {
  /** Requests a minute by source address, where they differ from the usual ones. */
  readonly addressLimits?: Partial<AddressLimits>;
  /** Milliseconds of Unix time. */
  readonly now?: () => number;
  /** How long the store may take before a request goes uncounted. */
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

  /** The limits of a request, without a quota where its class has none, and how to count it. */
  const planOf = (request: LimitedRequest, windows: Windows) => {
    if ("sourceAddress" in request) {
      const { limitClass, sourceAddress } = request;
      const perMinute = perMinuteByAddress[limitClass];
      const group = addressGroup(sourceAddress);
      return {
        policy: { perMinute, perDay: undefined, perMonth: undefined },
        count: (signal: AbortSignal) =>
          counters.countForAddress({ group, limitClass, perMinute, windows }, signal),
      };
    }
    const { userId, accountType, limitClass, operationId } = request;
    const full = accountPolicies[accountType];
    const isTask = limitClass === "task";
    const policy = isTask ? full : { ...full, perDay: undefined, perMonth: undefined };
    const counted = { userId, policy, task: isTask ? operationId : undefined, windows };
    return {
      policy,
      count: (signal: AbortSignal) => counters.countForAccount(counted, signal),
      ...(isTask ? { giveBack: (signal: AbortSignal) => counters.returnTask(counted, signal) } : {}),
    };
  };

  return {
    admit: async (request) => {
      const time = now();
      const windows = windowsAt(time);
      const { policy, count, giveBack } = planOf(request, windows);
      const attempt = async <Result>(event: LogEvent, work: (signal: AbortSignal) => Promise<Result>) => {
        try {
          return await raceDeadline(AbortSignal.timeout(timeoutMilliseconds), work);
        } catch (error) {
          logger.error(event, {
            limit_class: request.limitClass,
            reason: error instanceof Error ? `${error.name}: ${error.message}` : "unknown",
          });
          return undefined;
        }
      };
      const counts = await attempt("limits.not_counted", count);
      const admission = admissionOf(policy, counts, windows, time);
      if (!counts?.counted || !giveBack) return admission;
      return { ...admission, returnQuota: () => attempt("limits.not_returned", giveBack) };
    },
  };
};
