import type { Item, ItemUpdate, WriteResult } from "../../platform/storage/table.ts";
import { type CredentialAccess, credentialAccess, readAccess } from "../access/access.ts";
import { type Credential, isKey, type Scope } from "../access/api-keys.ts";
import { accountKeys } from "../access/keys.ts";
import { type AccountCleanup, createAccountCleanup, keysIn, slotsIn } from "./account-cleanup.ts";
import { allAdmissions } from "./admission-expressions.ts";
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
import { type Additions, withAdditions } from "./usage-items.ts";
import type { Windows } from "./windows.ts";

/** A request with a token or a key. */
export interface AccountRequest {
  readonly credential: Credential;
  /** What a key has to be allowed; `any` for what every key may do. */
  readonly scope: Scope | "any";
  /** Milliseconds of Unix time, a moment of the windows. */
  readonly time: number;
  /** The operation that the quota pays for; `undefined` when only the minute's limit counts. */
  readonly task: string | undefined;
  readonly windows: Windows;
  /** What is owed on the account's usage, and rides with the write. */
  readonly pending?: Additions | undefined;
  /** The place that it takes among its account's streams, of a task whose response may leave while it is made. */
  readonly slot?: string | undefined;
}

/** What the account of a token or key has, as the store knows it at this moment. */
export interface AccountStatus {
  readonly access: CredentialAccess;
  readonly policy: AccountPolicy;
}

/** What came of admitting a request, and how its account stands; `undefined` when there is no such account. */
export interface AccountCounts extends Counts {
  readonly status: AccountStatus | undefined;
  /** What is to be done for the account's items when the request is over, if it is the one to do it. */
  readonly cleanup?: AccountCleanup;
}

/** Tasks that were counted on an account's quota. */
export interface CountedTask {
  readonly userId: number;
  readonly policy: AccountPolicy;
  readonly operationId: string;
  /** The key that they were sent with; `undefined` for a token. */
  readonly keyId?: string | undefined;
  /** How many they are. */
  readonly tasks: number;
  readonly windows: Windows;
}

/** Admits and counts requests of accounts. Each method is one round trip to the store, and rejects when that fails. */
export interface AccountCounters {
  /**
   * Counts a request, if its token or key stands and no limit is reached. What stands in its way when it was not counted,
   * whoever asks finds out from what is given.
   */
  countForAccount(request: AccountRequest, signal: AbortSignal): Promise<AccountCounts>;
  /** How the account of a token or key stands, without counting anything; `undefined` when there is no such account. */
  findStatus(credential: Credential, signal: AbortSignal): Promise<AccountStatus | undefined>;
  /** Counts more tasks of a request that was counted as one, all of them or none; the minute counts it once. */
  countMoreTasks(task: CountedTask, more: number, signal: AbortSignal): Promise<Counts>;
  /**
   * Takes counted tasks off the day, the month and the usage again; the minute has seen the request all the same.
   *
   * @param pending is counted by the same write.
   */
  refund(task: CountedTask, pending: Additions, signal: AbortSignal): Promise<void>;
  /**
   * Gives places of streams back. One that was given back before, or never taken, changes nothing.
   *
   * @param pending is counted by the same write, once at most.
   */
  releaseSlots(
    userId: number,
    slots: readonly string[],
    pending: Additions | undefined,
    signal: AbortSignal,
  ): Promise<void>;
  /** Counts what is owed on an account's usage, once at most: a write whose outcome is unknown is not repeated. */
  addUsage(userId: number, pending: Additions, signal: AbortSignal): Promise<void>;
  /** Tidies an account's items up. What it does not get done is left for another request. */
  cleanUp(cleanup: AccountCleanup, signal: AbortSignal): Promise<void>;
}

/**
 * The same change for another try, after one of which nobody knows whether it was carried out: usage is billed, and had better
 * miss a request than count it twice. Of the limits it is the other way round.
 */
const withoutUsage = (update: ItemUpdate): ItemUpdate => {
  const { "#o": _counter, ...names } = update.ExpressionAttributeNames ?? {};
  return {
    ...update,
    UpdateExpression: update.UpdateExpression.replace(", #o :one", ""),
    ExpressionAttributeNames: names,
  };
};

/** The counters of accounts in the service's table, in their access items; access pattern A5 of `shared/accounts/README.md`. */
export const createAccountCounters = (table: LimitTable, policyOf: AccountPolicies): AccountCounters => {
  const admissionFor = allAdmissions(policyOf);
  const { cleanUp, releaseSlots, removeExpiredSlots } = createAccountCleanup(table);

  const statusOf = (access: CredentialAccess | undefined): AccountStatus | undefined =>
    access && { access, policy: { ...policyOf(access), perMonthOfKey: access.key?.l } };

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
    ...(key ? { ofKey: countIn(key, accountCounters.month(month)) } : {}),
  });

  /** The counter of the requests of a task's operation. */
  const requestsOf = ({ windows: { day }, operationId, keyId }: CountedTask): string =>
    usageCounter({ day, operationId, keyId }, "requests");

  /** The counters of the quota. */
  const quotaCounters = ({ policy, windows: { day, month } }: CountedTask): Counter[] => [
    { attribute: accountCounters.day(day), limit: policy.perDay },
    { attribute: accountCounters.month(month), limit: policy.perMonth },
  ];

  /** A change of an account's counters, and of those of the key that was sent. */
  const changeOf = (
    { userId, keyId, policy, windows }: CountedTask,
    counters: readonly Counter[],
    amount: number,
  ): ItemUpdate => {
    const Key = accountKeys.access(userId);
    const addition = conditionalAddition(counters, { amount });
    if (keyId === undefined) return { Key, ...addition };
    const limit = amount > 0 ? policy.perMonthOfKey : undefined;
    return {
      Key,
      UpdateExpression: `SET api_keys.#k.#month = api_keys.#k.#month + :amount ${addition.UpdateExpression}`,
      ConditionExpression: [
        "attribute_exists(api_keys.#k.#month)",
        ...(limit === undefined ? [] : ["NOT api_keys.#k.#month > :most"]),
        addition.ConditionExpression,
      ].join(" AND "),
      ExpressionAttributeNames: {
        ...addition.ExpressionAttributeNames,
        "#k": keyId,
        "#month": accountCounters.month(windows.month),
      },
      ExpressionAttributeValues: {
        ...addition.ExpressionAttributeValues,
        ...(limit === undefined ? {} : { ":most": limit - amount }),
      },
    };
  };

  /**
   * Adds to an account's counters, and to those of the key that was sent, unless it was revoked meanwhile; to the usage once at
   * most, as every write does.
   */
  const add = async (
    task: CountedTask,
    counters: readonly Counter[],
    amount: number,
    usage: Additions,
    signal: AbortSignal,
  ): Promise<WriteResult> => {
    const addTo = (counted: CountedTask): Promise<WriteResult> => {
      const change = changeOf(counted, counters, amount);
      return table.updateWithFallback(withAdditions(change, usage), () => change, signal);
    };
    const result = await addTo(task);
    const { keyId } = task;
    if (keyId === undefined || result.applied || keysIn(result.item)[keyId] !== undefined) return result;
    return addTo({ ...task, keyId: undefined });
  };

  return {
    countForAccount: async ({ credential, scope, time, task, windows, pending, slot }, signal) => {
      const isTask = task !== undefined;
      const { userId } = credential;
      const isOfKey = isKey(credential);
      const keyId = isOfKey ? credential.keyId : undefined;
      const requested = scope === "any" ? "key" : "scoped-key";
      const { values, ...expressions } = admissionFor({
        credential: isOfKey ? requested : "token",
        isTask,
        takesSlot: slot !== undefined,
      });
      const { minute, day, month } = windows;
      const seconds = Math.floor(time / 1_000);
      const update = {
        Key: accountKeys.access(userId),
        ...expressions,
        ExpressionAttributeNames: {
          ...(isOfKey ? { "#k": credential.keyId } : { "#t": credential.tokenId }),
          "#m": accountCounters.minute(minute),
          ...(isTask
            ? {
                "#d": accountCounters.day(day),
                "#M": accountCounters.month(month),
                "#o": usageCounter({ day, operationId: task, keyId }, "requests"),
              }
            : {}),
        },
        ExpressionAttributeValues: {
          ...values,
          ...(isOfKey
            ? {
                ":digest": credential.keyDigest,
                ":now": seconds,
                ...(scope === "any" ? {} : { ":scope": scope }),
              }
            : { ":epoch": credential.tokenEpoch }),
          ...(slot === undefined ? {} : { ":place": new Set([slot]) }),
        },
      };
      const whole = pending ? withAdditions(update, pending) : update;
      const again = () => (isTask ? withoutUsage(update) : update);
      let { applied, item } = await table.updateWithFallback(whole, again, signal);
      if (!applied && slot !== undefined && (await removeExpiredSlots(userId, item, windows, signal))) {
        ({ applied, item } = await table.updateWithFallback(whole, again, signal));
      }
      // A write that is sent again, because its answer was lost, may be refused for the place that it holds itself.
      const isHeld = !applied && slot !== undefined && slotsIn(item).includes(slot);
      const access = credentialAccess(item, credential, seconds);
      const counts = countsOf(applied || isHeld, item, windows, access?.key);
      const beginsDay = isTask && counts.day === 1;
      return {
        ...counts,
        status: statusOf(access),
        ...(slot === undefined ? {} : { streams: slotsIn(item).length }),
        // Of all requests in a minute one tidies up, so that busy accounts do not do it again and again.
        ...(applied && (counts.minute === 1 || beginsDay)
          ? { cleanup: { userId, item, windows, beginsDay } }
          : {}),
      };
    },

    findStatus: async (credential, signal) => statusOf(await readAccess(table, credential, signal)),

    countMoreTasks: async (task, more, signal) => {
      const usage = new Map([[requestsOf(task), more]]);
      const { applied, item } = await add(task, quotaCounters(task), more, usage, signal);
      const key = task.keyId === undefined ? undefined : keysIn(item)[task.keyId];
      return countsOf(applied, item, task.windows, key);
    },

    refund: async (task, pending, signal) => {
      const counters = quotaCounters(task).map(({ attribute }) => ({ attribute, limit: undefined }));
      const usage = new Map([...pending, [requestsOf(task), -task.tasks]]);
      await add(task, counters, -task.tasks, usage, signal);
    },

    releaseSlots,

    addUsage: async (userId, pending, signal) => {
      const account = {
        Key: accountKeys.access(userId),
        UpdateExpression: "",
        ConditionExpression: "attribute_exists(PK)",
      };
      await table.updateWithFallback(withAdditions(account, pending), () => undefined, signal);
    },

    cleanUp,
  };
};
