import { exists, type Item, type WriteResult } from "../../platform/storage/table.ts";
import { type CredentialAccess, credentialAccess, readAccessItem } from "../access/access.ts";
import { type Credential, isKey, type Scope } from "../access/api-keys.ts";
import { accountKeys } from "../access/keys.ts";
import { type AccountCleanup, createAccountCleanup, keysIn, slotsIn } from "./account-cleanup.ts";
import { type AdmissionExpressions, allAdmissions } from "./admission-expressions.ts";
import { type Additions, type CounterUpdate, toUpdate, withAdditions } from "./counter-update.ts";
import { accountCounters } from "./keys.ts";
import {
  type Counter,
  type Counts,
  conditionalAddition,
  countIn,
  type LimitTable,
} from "./limit-counters.ts";
import type { AccountPolicies, AccountPolicy } from "./policies.ts";
import { usageCounter } from "./usage-counters.ts";
import type { Windows } from "./windows.ts";

/** A token or a key at a time. */
export interface CredentialAt {
  readonly credential: Credential;
  /** Milliseconds of Unix time, within the windows. */
  readonly time: number;
  readonly windows: Windows;
}

/** A request with a token or a key. */
export interface AccountRequest extends CredentialAt {
  /** The scope that a key needs; `any` when every key may send the request. */
  readonly scope: Scope | "any";
  /** The operation that counts on the quota; `undefined` when only the minute's limit applies. */
  readonly task: string | undefined;
  /** Pending usage of the account, counted by the same write. */
  readonly pending?: Additions | undefined;
  /** The stream slot to take, for a task whose response may be streamed. */
  readonly slot?: string | undefined;
}

/** The current status of a credential's account. */
export interface AccountStatus {
  readonly access: CredentialAccess;
  readonly policy: AccountPolicy;
}

/** The result of counting a request. */
export interface AccountCounts extends Counts {
  /** `undefined` when there is no such account. */
  readonly status: AccountStatus | undefined;
  /** The cleanup to do after the request, if this request is the one to do it. */
  readonly cleanup?: AccountCleanup;
}

/** Tasks that were counted on an account's quota. */
export interface CountedTask {
  readonly userId: number;
  readonly policy: AccountPolicy;
  readonly operationId: string;
  /** The key that they were sent with; `undefined` for a token. */
  readonly keyId?: string | undefined;
  /** The number of tasks. */
  readonly tasks: number;
  readonly windows: Windows;
}

/** Admits and counts requests of accounts. Each method is one call to the table, and rejects when that fails. */
export interface AccountCounters {
  /** Counts a request if its credential is valid and no limit is reached. The result shows why it was not counted. */
  countForAccount(request: AccountRequest, signal: AbortSignal): Promise<AccountCounts>;
  /** Reads the status of a credential's account and its counters, and counts nothing. */
  readCounts(request: CredentialAt, signal: AbortSignal): Promise<AccountCounts>;
  /** Counts more tasks of a request, all of them or none. The minute has counted the request already. */
  countMoreTasks(task: CountedTask, more: number, signal: AbortSignal): Promise<Counts>;
  /** Deducts tasks from the day, the month and the usage, but not from the minute. The same write counts `pending`. */
  refund(task: CountedTask, pending: Additions, signal: AbortSignal): Promise<void>;
  /** Releases stream slots; one that is free already is no error. The same write counts `pending`, at most once. */
  releaseSlots(
    userId: number,
    slots: readonly string[],
    pending: Additions | undefined,
    signal: AbortSignal,
  ): Promise<void>;
  /** Counts pending usage of an account at most once: a write whose outcome is unknown is not retried. */
  addUsage(userId: number, pending: Additions, signal: AbortSignal): Promise<void>;
  /** Cleans up an account's items. What it does not finish is left for another request. */
  cleanUp(cleanup: AccountCleanup, signal: AbortSignal): Promise<void>;
}

const countsOf = (
  counted: boolean,
  item: Item,
  { minute, day, month }: Windows,
  key: Item | undefined,
): Counts => ({
  counted,
  minute: countIn(item, accountCounters.minute(minute)),
  day: countIn(item, accountCounters.day(day)),
  month: countIn(item, accountCounters.month(month)),
  ...(key
    ? {
        ofKey: countIn(key, accountCounters.month(month)),
        minuteOfKey: countIn(key, accountCounters.minute(minute)),
      }
    : {}),
});

/** The counter of a task's operation. */
const requestsOf = ({ windows: { day }, operationId, keyId }: CountedTask): string =>
  usageCounter({ day, operationId, keyId }, "requests");

/** The counters of the quota. */
const quotaCounters = ({ policy, windows: { day, month } }: CountedTask): Counter[] => [
  { attribute: accountCounters.day(day), limit: policy.perDay },
  { attribute: accountCounters.month(month), limit: policy.perMonth },
];

/** The change of an account's counters, and of those of the key that was sent. */
const changeOf = (
  { userId, keyId, policy, windows }: CountedTask,
  counters: readonly Counter[],
  amount: number,
): CounterUpdate => {
  const change = { Key: accountKeys.access(userId), ...conditionalAddition(counters, { amount }) };
  if (keyId === undefined) return change;
  const limit = amount > 0 ? policy.perMonthOfKey : undefined;
  return {
    ...change,
    clauses: "SET api_keys.#k.#month = api_keys.#k.#month + :amount",
    ConditionExpression: [
      "attribute_exists(api_keys.#k.#month)",
      ...(limit === undefined ? [] : ["NOT api_keys.#k.#month > :most"]),
      change.ConditionExpression,
    ].join(" AND "),
    ExpressionAttributeNames: {
      ...change.ExpressionAttributeNames,
      "#k": keyId,
      "#month": accountCounters.month(windows.month),
    },
    ExpressionAttributeValues: {
      ...change.ExpressionAttributeValues,
      ...(limit === undefined ? {} : { ":most": limit - amount }),
    },
  };
};

/** The write that admits a request, without the usage that it counts. */
const admissionUpdate = (
  { credential, scope, time, task, windows: { minute, day, month }, slot }: AccountRequest,
  { values, ...expressions }: AdmissionExpressions,
): CounterUpdate => ({
  Key: accountKeys.access(credential.userId),
  ...expressions,
  ExpressionAttributeNames: {
    ...(isKey(credential) ? { "#k": credential.keyId } : { "#t": credential.tokenId }),
    "#m": accountCounters.minute(minute),
    ...(task === undefined ? {} : { "#d": accountCounters.day(day), "#M": accountCounters.month(month) }),
  },
  ExpressionAttributeValues: {
    ...values,
    ...(isKey(credential)
      ? {
          ":digest": credential.keyDigest,
          ":now": Math.floor(time / 1_000),
          ...(scope === "any" ? {} : { ":scope": scope }),
        }
      : { ":epoch": credential.tokenEpoch }),
    ...(slot === undefined ? {} : { ":place": new Set([slot]) }),
  },
});

/** The usage that the write of a request counts: pending usage, and the request itself if it is a task. */
const usageOf = ({ credential, task, windows: { day }, pending }: AccountRequest): Additions => {
  const usage = new Map(pending);
  if (task === undefined) return usage;
  const keyId = isKey(credential) ? credential.keyId : undefined;
  const counter = usageCounter({ day, operationId: task, keyId }, "requests");
  return usage.set(counter, (usage.get(counter) ?? 0) + 1);
};

/**
 * Writes counters. When the outcome of an attempt is unknown, the next one leaves out the usage: usage is billed, so we prefer
 * missing a request to counting it twice. Limits prefer the opposite.
 */
const write = (
  table: LimitTable,
  update: CounterUpdate,
  usage: Additions,
  signal: AbortSignal,
): Promise<WriteResult> =>
  table.updateWithFallback(toUpdate(withAdditions(update, usage)), () => toUpdate(update), signal);

/** Adds to the counters of an account, and to those of the key, unless it was revoked meanwhile. */
const add = async (
  table: LimitTable,
  task: CountedTask,
  counters: readonly Counter[],
  amount: number,
  usage: Additions,
  signal: AbortSignal,
): Promise<WriteResult> => {
  const result = await write(table, changeOf(task, counters, amount), usage, signal);
  const { keyId } = task;
  if (keyId === undefined || result.applied || keysIn(result.item)[keyId] !== undefined) return result;
  return write(table, changeOf({ ...task, keyId: undefined }, counters, amount), usage, signal);
};

/** The counters of accounts in the service's table, in their access items; access pattern A5 of `shared/accounts/README.md`. */
export const createAccountCounters = (table: LimitTable, policyOf: AccountPolicies): AccountCounters => {
  const admissionFor = allAdmissions(policyOf);
  const { cleanUp, releaseSlots, removeExpiredSlots } = createAccountCleanup(table);

  const statusOf = (access: CredentialAccess | undefined): AccountStatus | undefined =>
    access && {
      access,
      policy: { ...policyOf(access), perMonthOfKey: access.key?.l, perMinuteOfKey: access.key?.m },
    };

  /** Admits a request. When all slots are taken, those of killed functions are removed before a second attempt. */
  const admit = async (request: AccountRequest, signal: AbortSignal): Promise<WriteResult> => {
    const { credential, scope, task, windows, slot } = request;
    const expressions = admissionFor({
      credential: isKey(credential) ? (scope === "any" ? "key" : "scoped-key") : "token",
      isTask: task !== undefined,
      takesSlot: slot !== undefined,
    });
    const update = admissionUpdate(request, expressions);
    const result = await write(table, update, usageOf(request), signal);
    if (result.applied || slot === undefined) return result;
    return (await removeExpiredSlots(credential.userId, result.item, windows, signal))
      ? write(table, update, usageOf(request), signal)
      : result;
  };

  return {
    countForAccount: async (request, signal) => {
      const { credential, time, task, windows, slot } = request;
      const { applied, item } = await admit(request, signal);
      // A write that is sent again because its response was lost may be refused for the slot that it has taken itself.
      const hasSlot = !applied && slot !== undefined && slotsIn(item).includes(slot);
      const access = credentialAccess(item, credential, Math.floor(time / 1_000));
      const counts = countsOf(applied || hasSlot, item, windows, access?.key);
      const beginsDay = task !== undefined && counts.day === 1;
      // One request a minute cleans up, so busy accounts do not do it again and again.
      const cleansUp = applied && (counts.minute === 1 || beginsDay);
      return {
        ...counts,
        status: statusOf(access),
        ...(slot === undefined ? {} : { streams: slotsIn(item).length }),
        ...(cleansUp ? { cleanup: { userId: credential.userId, item, windows, beginsDay } } : {}),
      };
    },

    readCounts: async ({ credential, time, windows }, signal) => {
      const { minute, day, month } = windows;
      const names = [accountCounters.minute(minute), accountCounters.day(day), accountCounters.month(month)];
      const item = (await readAccessItem(table, credential, names, signal)) ?? {};
      const access = credentialAccess(item, credential, Math.floor(time / 1_000));
      return { ...countsOf(false, item, windows, access?.key), status: statusOf(access) };
    },

    countMoreTasks: async (task, more, signal) => {
      const usage = new Map([[requestsOf(task), more]]);
      const { applied, item } = await add(table, task, quotaCounters(task), more, usage, signal);
      const key = task.keyId === undefined ? undefined : keysIn(item)[task.keyId];
      return countsOf(applied, item, task.windows, key);
    },

    refund: async (task, pending, signal) => {
      const counters = quotaCounters(task).map(({ attribute }) => ({ attribute, limit: undefined }));
      const usage = new Map([...pending, [requestsOf(task), -task.tasks]]);
      await add(table, task, counters, -task.tasks, usage, signal);
    },

    releaseSlots,

    addUsage: async (userId, pending, signal) => {
      const account = { Key: accountKeys.access(userId), additions: [], ...exists };
      await table.updateWithFallback(toUpdate(withAdditions(account, pending)), () => undefined, signal);
    },

    cleanUp,
  };
};
