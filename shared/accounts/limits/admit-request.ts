import { AppError } from "../../platform/errors/app-error.ts";
import { dependencyUnavailable } from "../../platform/errors/dependency-failure.ts";
import { withinTime } from "../../platform/outbound/timeouts.ts";
import type { LogEvent } from "../../platform/telemetry/log-events.ts";
import { repeatedSuccessor, requireAccess } from "../access/access.ts";
import { type Credential, isOutOfScope, type Scope } from "../access/api-keys.ts";
import { callerWith } from "../access/caller.ts";
import type { AccountCounters, AccountCounts, CredentialAt } from "./account-counters.ts";
import { type Admission, admissionOf, memoryAdmission, uncountedAdmission } from "./admission.ts";
import { addressGroup, streamSlots, widerNetwork } from "./keys.ts";
import type { AddressCounters } from "./limit-counters.ts";
import { type MemoryLimits, uncountedPerMinute } from "./memory-limits.ts";
import type { PendingUsage } from "./pending-usage.ts";
import {
  type AccountLimitClass,
  type AddressLimitClass,
  groupsOfNetwork,
  type LimitClass,
  minutePolicy,
} from "./policies.ts";
import { windowsAt } from "./windows.ts";

/** Counts requests of accounts and of addresses. */
export type LimitCounters = AccountCounters & AddressCounters;

/** A request with a token whose signature and expiry are valid, or with a key whose checksum is. */
export interface LimitedAccountRequest {
  readonly limitClass: AccountLimitClass;
  readonly credential: Credential;
  /** The scope that a key needs; `any` when every key may send the request, `undefined` when none may. */
  readonly scope?: Scope | "any" | undefined;
  readonly operationId: string;
  /** Whether the response may be streamed, so the request takes a stream slot of its account. */
  readonly mayStream?: boolean;
  /** The digest of the `Idempotency-Key`, if the request may repeat the replacement of its token. */
  readonly successorKeyDigest?: string | undefined;
}

/** A request without a token. */
export interface OpenRequest {
  readonly limitClass: AddressLimitClass;
  readonly sourceAddress: string;
}

/** The parts of a limiter. */
export interface LimiterParts {
  readonly counters: LimitCounters;
  readonly memory: MemoryLimits;
  readonly pendingUsage: PendingUsage;
  readonly now: () => number;
  /** Calls the table. Returns `undefined`, and logs the event, when it fails or takes too long. */
  readonly attempt: <Result>(
    event: LogEvent,
    limitClass: LimitClass,
    work: (signal: AbortSignal) => Promise<Result>,
  ) => Promise<Result | undefined>;
}

/** Counts a request of one group of addresses. */
const admitGroup = async (
  group: string,
  limitClass: AddressLimitClass,
  perMinute: number,
  { counters, memory, now, attempt }: LimiterParts,
): Promise<Admission> => {
  const time = now();
  const windows = windowsAt(time);
  const policy = minutePolicy(perMinute);
  const counts = await attempt("limits.not_counted", limitClass, (signal) =>
    counters.countForAddress({ group, limitClass, perMinute, windows }, signal),
  );
  if (counts) return admissionOf(policy, counts, windows, time);
  const max = uncountedPerMinute(perMinute);
  const isAdmitted = memory.admit(`address ${limitClass} ${group}`, max, windows) !== undefined;
  return memoryAdmission(policy, isAdmitted, windows, time);
};

/** Counts a request without a token: on its group of addresses, and then, if it has one, on its wider network. */
export const admitAddress = async (
  { limitClass, sourceAddress }: OpenRequest,
  perMinute: number,
  parts: LimiterParts,
): Promise<Admission> => {
  const admission = await admitGroup(addressGroup(sourceAddress), limitClass, perMinute, parts);
  const network = widerNetwork(sourceAddress);
  if (admission.refusal || network === undefined) return admission;
  const ofNetwork = await admitGroup(network, limitClass, perMinute * groupsOfNetwork, parts);
  return ofNetwork.refusal ? ofNetwork : admission;
};

/** Whose request arrived and when, and the slot that it takes. */
interface Arrival extends CredentialAt {
  readonly slot: string | undefined;
}

/** Counts a request. Returns `undefined` when the table does not respond. */
const countRequest = async (
  { limitClass, scope = "any", operationId }: LimitedAccountRequest,
  arrival: Arrival,
  { counters, pendingUsage, attempt }: LimiterParts,
): Promise<AccountCounts | undefined> => {
  const { credential } = arrival;
  const isTask = limitClass === "task";
  const pending = isTask ? pendingUsage.take(credential.userId) : undefined;
  const task = isTask ? operationId : undefined;
  const counts = await attempt("limits.not_counted", limitClass, (signal) =>
    counters.countForAccount({ ...arrival, scope, task, pending }, signal),
  );
  // Without a response, the usage may have been counted, so it is never counted again.
  if (pending && counts?.counted === false) pendingUsage.putBack(credential.userId, pending);
  return counts;
};

/** How long to read the counters of a request that could not be counted. */
const readMilliseconds = 3_000;

const readCounts = async (arrival: Arrival, { counters }: LimiterParts): Promise<AccountCounts> => {
  try {
    return await withinTime(readMilliseconds, (signal) => counters.readCounts(arrival, signal));
  } catch (error) {
    throw dependencyUnavailable(error);
  }
};

/** Counts a request with a token or a key. @throws AppError as `Limiter.admit`. */
export const admitAccount = async (
  request: LimitedAccountRequest,
  parts: LimiterParts,
): Promise<Admission> => {
  const { limitClass, credential, scope, operationId, mayStream, successorKeyDigest } = request;
  const { pendingUsage, now } = parts;
  const time = now();
  const windows = windowsAt(time);
  const slot = mayStream ? streamSlots.take(time) : undefined;
  const arrival = { credential, time, windows, slot };
  // A credential that is out of scope is not counted, only checked: the error depends on whether it is valid.
  const written = isOutOfScope(credential, scope) ? undefined : await countRequest(request, arrival, parts);
  const counts = written ?? (await readCounts(arrival, parts));
  const { status, counted, cleanup } = counts;
  if (!status) throw new AppError("unauthenticated");
  const successor = repeatedSuccessor(status.access, successorKeyDigest, time / 1_000);
  const access = successor ? status.access : requireAccess(status.access, credential, scope);
  const isTask = limitClass === "task";
  const policy = isTask ? status.policy : minutePolicy(status.policy.perMinute, status.policy.perMinuteOfKey);
  const caller = { ...callerWith(credential, access), ...(successor ? { successor } : {}) };
  const { userId, keyId } = caller;
  // The write may have taken the slot although its response did not come.
  const takenSlot = slot !== undefined && (counted || !written) ? { slot } : {};
  if (!written) return { ...uncountedAdmission(policy, counts, windows, time), caller, ...takenSlot };
  if (isTask && counted) pendingUsage.begin(userId);
  return {
    // For a repeated replacement of a token, the replaced token is the only reason why it was not counted.
    ...admissionOf(policy, { ...counts, counted: counted || successor !== undefined }, windows, time),
    caller,
    ...(isTask && counted
      ? {
          countedTask: { userId, keyId, policy, operationId, tasks: 1, windows },
          usageAccount: { userId, keyId, operationId, day: windows.day },
        }
      : {}),
    ...(cleanup ? { cleanup } : {}),
    ...takenSlot,
  };
};
