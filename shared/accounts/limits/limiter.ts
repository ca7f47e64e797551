import { AppError } from "../../platform/errors/app-error.ts";
import { dependencyUnavailable } from "../../platform/errors/dependency-failure.ts";
import { withinTime } from "../../platform/outbound/timeouts.ts";
import type { LogEvent } from "../../platform/telemetry/log-events.ts";
import { describeError, logger } from "../../platform/telemetry/logger.ts";
import { repeatedSuccessor, requireAccess } from "../access/access.ts";
import { type Credential, isOutOfScope, type Scope } from "../access/api-keys.ts";
import { callerWith } from "../access/caller.ts";
import { type AccountCounters, type AccountStatus, createAccountCounters } from "./account-counters.ts";
import { type Admission, admissionOf, afterRefund, tasksAdmission, uncountedAdmission } from "./admission.ts";
import { addressGroup, streamSlots } from "./keys.ts";
import { type AddressCounters, createAddressCounters, type LimitTable } from "./limit-counters.ts";
import { createMemoryLimits } from "./memory-limits.ts";
import { createPendingUsage, type RequestEnd } from "./pending-usage.ts";
import {
  type AccountLimitClass,
  type AddressLimitClass,
  type AddressLimits,
  accountPoliciesWith,
  defaultAddressLimits,
  defaultUnverifiedQuotaShare,
  type LimitClass,
} from "./policies.ts";
import { usageCounter } from "./usage-counters.ts";
import { windowsAt } from "./windows.ts";

/** Counts requests of accounts and of addresses. */
export type LimitCounters = AccountCounters & AddressCounters;

/** All counters in the service's table. */
export const createLimitCounters = (
  table: LimitTable,
  unverifiedQuotaShare = defaultUnverifiedQuotaShare,
): LimitCounters => ({
  ...createAccountCounters(table, accountPoliciesWith(unverifiedQuotaShare)),
  ...createAddressCounters(table),
});

/** A request with a token whose signature and expiry are right, or with a key whose checksum is. */
interface AccountRequest {
  readonly limitClass: AccountLimitClass;
  readonly credential: Credential;
  /** What a key has to be allowed; `any` for what every key may do, `undefined` for what none may. */
  readonly scope?: Scope | "any" | undefined;
  readonly operationId: string;
  /** Whether the response may leave while it is made, so that it takes a place among its account's streams. */
  readonly mayStream?: boolean;
  /** Of the `Idempotency-Key`, where a token that was replaced with it may ask for its successor again. */
  readonly successorKeyDigest?: string | undefined;
}

/** A request of somebody without a token. */
interface OpenRequest {
  readonly limitClass: AddressLimitClass;
  readonly sourceAddress: string;
}

/** A request, as far as limits look at it. */
export type LimitedRequest = AccountRequest | OpenRequest;

/** Counts requests and refuses those beyond a limit, and those of tokens and keys that do not stand. */
export interface Limiter {
  /**
   * Counts a request. While the store cannot count, which is logged, far fewer requests are admitted; tokens and keys are
   * then checked all the same.
   *
   * @throws AppError, only for a request with a token or a key: `unauthenticated` when it was revoked, `forbidden` when its
   * account is disabled, `insufficient_scope` when the key was not made for this, `service_unavailable` when none of it can be
   * found out.
   */
  admit(request: LimitedRequest): Promise<Admission>;
  /**
   * Counts the other tasks of an admitted request that stands for several: all of them, or none and the request is
   * refused. Never rejects, either.
   */
  admitTasks(admission: Admission, tasks: number): Promise<Admission>;
  /**
   * Takes an admitted request off its account's quota and usage again, where it was counted on one. Never rejects, either.
   *
   * @param isError whether its caller is told of an error, which is counted; by default it is.
   */
  refund(admission: Admission, options?: { readonly isError?: boolean }): Promise<Admission>;
  /**
   * Ends an admitted request, when its response is over: gives its place back, where it has taken one, and counts what it has
   * used, or owes that on a later write. Never rejects, either.
   *
   * @param end by default that of a request that has used nothing.
   */
  release(admission: Admission, end?: RequestEnd): Promise<void>;
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

/** How long a token or key may be waited for that could not be counted: whoever has a good one had better wait than be refused. */
const checkMilliseconds = 3_000;

const nothingUsed: RequestEnd = { use: {}, hasFailed: false };

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

  /** @returns `undefined` when the store failed, which is logged, or took too long. */
  const attempt = async <Result>(
    event: LogEvent,
    limitClass: LimitClass,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | undefined> => {
    try {
      return await withinTime(timeoutMilliseconds, work);
    } catch (error) {
      logger.error(event, { limit_class: limitClass, reason: describeError(error) });
      return undefined;
    }
  };

  const pendingUsage = createPendingUsage(now, (userId, pending) =>
    attempt("limits.usage_not_counted", "task", (signal) => counters.addUsage(userId, pending, signal)),
  );

  const admitAddress = async ({ limitClass, sourceAddress }: OpenRequest): Promise<Admission> => {
    const time = now();
    const windows = windowsAt(time);
    const perMinute = perMinuteByAddress[limitClass];
    const policy = { perMinute, perDay: undefined, perMonth: undefined };
    const group = addressGroup(sourceAddress);
    const counts = await attempt("limits.not_counted", limitClass, (signal) =>
      counters.countForAddress({ group, limitClass, perMinute, windows }, signal),
    );
    if (counts) return admissionOf(policy, counts, windows, time);
    const isAdmitted = memory.admit(`address ${limitClass} ${group}`, perMinute, windows);
    return uncountedAdmission(policy, isAdmitted, windows, time);
  };

  const findStatus = async (credential: Credential): Promise<AccountStatus | undefined> => {
    try {
      return await withinTime(checkMilliseconds, (signal) => counters.findStatus(credential, signal));
    } catch (error) {
      throw dependencyUnavailable(error);
    }
  };

  const admitAccount = async ({
    limitClass,
    credential,
    scope,
    operationId,
    mayStream,
    successorKeyDigest,
  }: AccountRequest): Promise<Admission> => {
    const time = now();
    const windows = windowsAt(time);
    const isTask = limitClass === "task";
    const slot = mayStream ? streamSlots.take(time) : undefined;
    // What a credential cannot be for needs no count: it is only found out whether its holder is to be told so.
    const isRefused = isOutOfScope(credential, scope);
    const task = isTask ? operationId : undefined;
    const pending = isTask ? pendingUsage.take(credential.userId) : undefined;
    const request = { credential, scope: scope ?? "any", time, task, windows, pending, slot };
    const counts = isRefused
      ? undefined
      : await attempt("limits.not_counted", limitClass, (signal) =>
          counters.countForAccount(request, signal),
        );
    // Without an answer it may have been counted: then it is never counted again.
    if (pending && counts?.counted === false) pendingUsage.putBack(credential.userId, pending);
    const status = counts ? counts.status : await findStatus(credential);
    if (!status) throw new AppError("unauthenticated");
    const successor = repeatedSuccessor(status.access, successorKeyDigest, time / 1_000);
    const access = successor ? status.access : requireAccess(status.access, credential, scope);
    const { policy: full } = status;
    const policy = isTask ? full : { perMinute: full.perMinute, perDay: undefined, perMonth: undefined };
    const caller = { ...callerWith(credential, access), ...(successor ? { successor } : {}) };
    if (!counts) {
      const isAdmitted = memory.admit(`account ${caller.userId}`, policy.perMinute, windows);
      const uncounted = { ...uncountedAdmission(policy, isAdmitted, windows, time), caller };
      // No place is asked for, but a write that nobody waited for may have taken it.
      return slot === undefined || !isAdmitted ? uncounted : { ...uncounted, slot };
    }
    const { userId, keyId } = caller;
    const countedTask = { userId, keyId, policy, operationId, tasks: 1, windows };
    const usageAccount = { userId, keyId, operationId, day: windows.day };
    const { cleanup } = counts;
    const isCounted = isTask && counts.counted;
    if (isCounted) pendingUsage.begin(userId);
    const admission = {
      // The token that was replaced is all that stood in the way of the count.
      ...admissionOf(
        policy,
        { ...counts, counted: counts.counted || successor !== undefined },
        windows,
        time,
      ),
      caller,
      ...(isCounted ? { countedTask, usageAccount } : {}),
      ...(cleanup ? { cleanup } : {}),
    };
    return slot === undefined || !counts.counted ? admission : { ...admission, slot };
  };

  return {
    admit: (request) => ("credential" in request ? admitAccount(request) : admitAddress(request)),

    admitTasks: async ({ countedTask, ...admission }, tasks) => {
      if (!countedTask) return admission;
      if (tasks <= 1) return { ...admission, countedTask };
      const counts = await attempt("limits.not_counted", "task", (signal) =>
        counters.countMoreTasks(countedTask, tasks - 1, signal),
      );
      if (counts) return tasksAdmission({ ...admission, countedTask }, tasks - 1, counts, now());
      const { userId, policy, windows } = countedTask;
      const isAdmitted = memory.admit(`account ${userId}`, policy.perMinute, windows);
      return { ...admission, ...uncountedAdmission(policy, isAdmitted, windows, now()), countedTask };
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
