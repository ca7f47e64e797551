import * as z from "zod";
import { type CredentialAccess, credentialAccess, readAccess, revokedTokens } from "../accounts/access.ts";
import { accountKeys } from "../accounts/keys.ts";
import { type Credential, isKey, type Scope } from "../auth/api-keys.ts";
import type { Item, ItemTable, UpdateResult } from "../storage/item-table.ts";
import { allAdmissions } from "./admission-expressions.ts";
import { accountCounters, streamPlaces, windowOfCounter } from "./keys.ts";
import { type Counter, type Counts, conditionalAddition, countIn } from "./limit-counters.ts";
import type { AccountPolicies, AccountPolicy } from "./policies.ts";
import { usageCounter } from "./usage-counters.ts";
import { monthOf, type Windows } from "./windows.ts";

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
  /** The place that it takes among its account's streams, of a task whose response may leave while it is made. */
  readonly place?: string | undefined;
}

/** What the account of a token or key has, as the store knows it at this moment. */
export interface AccountStanding {
  readonly access: CredentialAccess;
  readonly policy: AccountPolicy;
}

/** What came of admitting a request, and how its account stands; `undefined` when there is no such account. */
export interface AccountCounts extends Counts {
  readonly standing: AccountStanding | undefined;
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
  findStanding(credential: Credential, signal: AbortSignal): Promise<AccountStanding | undefined>;
  /** Counts more tasks of a request that was counted as one, all of them or none; the minute counts it once. */
  countMoreTasks(task: CountedTask, more: number, signal: AbortSignal): Promise<Counts>;
  /** Takes counted tasks off the day and the month again; the minute has seen the request all the same. */
  refund(task: CountedTask, signal: AbortSignal): Promise<void>;
  /** Gives places of streams back. One that was given back before, or never taken, changes nothing. */
  releasePlaces(userId: number, places: readonly string[], signal: AbortSignal): Promise<void>;
}

/** So much of what is over may stand in an item before it is removed; together it stays under a kilobyte. */
const toleratedPast = 64;

/** DynamoDB takes at most 4 KB of expression; what is left over is removed with the next minute. */
const mostRemovals = 120;

/** Usage is shown for 30 days. */
const keptDays = 35;
const keptMonthsDays = 62;
const daySeconds = 24 * 60 * 60;

/** Counters of windows that are over. The last minute stays: another function's clock may be a little behind. */
const pastCounters = (item: Item, { minute, day }: Windows): string[] => {
  const firstMonth = monthOf((day - keptMonthsDays) * daySeconds * 1_000);
  return Object.keys(item).filter((name) => {
    const window = windowOfCounter(name);
    if (window?.kind === "minute") return window.minute < minute - 1;
    if (window?.kind === "day") return window.day < day - keptDays;
    return window?.kind === "month" && window.month < firstMonth;
  });
};

/** Tokens that were revoked and have expired since: nobody can use them anyway. Those that never expire have the end 0. */
const expiredTokens = (item: Item, { minute }: Windows): string[] =>
  Object.entries(revokedTokens.parse(item)).flatMap(([id, { end }]) =>
    end !== 0 && end < minute * 60 ? [id] : [],
  );

const keyEntries = z.object({
  api_keys: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

/** The keys of an account, by their ids. */
const keysIn = (item: Item) => keyEntries.parse(item).api_keys;

/** The places of an account's streams. */
const placesIn = (item: Item): string[] =>
  item["streams"] instanceof Set ? Array.from(item["streams"], String) : [];

/** The counters of accounts in the service's table, in their access items; access pattern A5 of `shared/accounts/README.md`. */
export const createAccountCounters = (table: ItemTable, policyOf: AccountPolicies): AccountCounters => {
  const admissionFor = allAdmissions(policyOf);

  const standingOf = (access: CredentialAccess | undefined): AccountStanding | undefined =>
    access && { access, policy: { ...policyOf(access), perMonthOfKey: access.key?.l } };

  const releasePlaces: AccountCounters["releasePlaces"] = async (userId, places, signal) => {
    await table.update(
      {
        Key: accountKeys.access(userId),
        UpdateExpression: "DELETE streams :places",
        ConditionExpression: "attribute_exists(streams)",
        ExpressionAttributeValues: { ":places": new Set(places) },
      },
      signal,
    );
  };

  /** Removes the places that killed functions have left behind. @returns whether there were any. */
  const removeOverPlaces = async (userId: number, item: Item, windows: Windows, signal: AbortSignal) => {
    const over = placesIn(item).filter((place) => streamPlaces.isOver(place, windows));
    if (over.length === 0) return false;
    await releasePlaces(userId, over, signal);
    return true;
  };

  const removePast = async (userId: number, item: Item, windows: Windows, signal: AbortSignal) => {
    await removeOverPlaces(userId, item, windows, signal);
    const past = [
      ...pastCounters(item, windows).map((name) => ["", name] as const),
      ...expiredTokens(item, windows).map((id) => ["revoked.", id] as const),
      ...Object.entries(keysIn(item)).flatMap(([id, key]) =>
        pastCounters(key, windows).map((name) => [`api_keys.${id}.`, name] as const),
      ),
    ];
    if (past.length <= toleratedPast) return;
    const paths = past.slice(0, mostRemovals);
    await table.update(
      {
        Key: accountKeys.access(userId),
        UpdateExpression: `REMOVE ${paths.map(([map], index) => `${map}#p${index}`).join(", ")}`,
        ConditionExpression: "attribute_exists(revoked)",
        ExpressionAttributeNames: Object.fromEntries(paths.map(([, name], index) => [`#p${index}`, name])),
      },
      signal,
    );
  };

  const countsOf = (
    counted: boolean,
    item: Item,
    { minute, day, month }: Windows,
    keyId: string | undefined,
  ): Counts => ({
    counted,
    minute: countIn(item, accountCounters.minute(minute)),
    day: countIn(item, accountCounters.day(day)),
    month: countIn(item, accountCounters.month(month)),
    ...(keyId === undefined
      ? {}
      : { ofKey: countIn(keysIn(item)[keyId] ?? {}, accountCounters.month(month)) }),
  });

  /** The counters of the quota, and of the operation that it pays for. */
  const taskCounters = ({ policy, operationId, keyId, windows: { day, month } }: CountedTask): Counter[] => [
    { attribute: accountCounters.day(day), limit: policy.perDay },
    { attribute: accountCounters.month(month), limit: policy.perMonth },
    { attribute: usageCounter({ day, operationId, keyId }, "requests"), limit: undefined },
  ];

  /** Adds to an account's counters, and to those of the key that was sent, unless it was revoked meanwhile. */
  const add = async (
    task: CountedTask,
    counters: readonly Counter[],
    amount: number,
    signal: AbortSignal,
  ): Promise<UpdateResult> => {
    const Key = accountKeys.access(task.userId);
    const addition = conditionalAddition(counters, { amount });
    const { keyId, policy, windows } = task;
    if (keyId === undefined) return table.update({ Key, ...addition }, signal);
    const limit = amount > 0 ? policy.perMonthOfKey : undefined;
    const result = await table.update(
      {
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
      },
      signal,
    );
    const isRevoked = !result.applied && keysIn(result.item)[keyId] === undefined;
    return isRevoked ? table.update({ Key, ...addition }, signal) : result;
  };

  return {
    countForAccount: async ({ credential, scope, time, task, windows, place }, signal) => {
      const isTask = task !== undefined;
      const { userId } = credential;
      const isOfKey = isKey(credential);
      const keyId = isOfKey ? credential.keyId : undefined;
      const asked = scope === "any" ? "key" : "scoped-key";
      const { values, ...expressions } = admissionFor({
        credential: isOfKey ? asked : "token",
        isTask,
        takesPlace: place !== undefined,
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
          ...(place === undefined ? {} : { ":place": new Set([place]) }),
        },
      };
      let { applied, item } = await table.update(update, signal);
      if (!applied && place !== undefined && (await removeOverPlaces(userId, item, windows, signal))) {
        ({ applied, item } = await table.update(update, signal));
      }
      // A write that is sent again, because its answer was lost, may be refused for the place that it holds itself.
      const isHeld = !applied && place !== undefined && placesIn(item).includes(place);
      const counts = countsOf(applied || isHeld, item, windows, keyId);
      // Of all requests in a minute one tidies up, so that busy accounts do not do it again and again. What it does not get
      // done is left for another minute: the request is counted, whatever becomes of it.
      if (applied && counts.minute === 1) {
        await removePast(userId, item, windows, signal).catch(() => undefined);
      }
      const standing = standingOf(credentialAccess(item, credential, seconds));
      return place === undefined
        ? { ...counts, standing }
        : { ...counts, standing, streams: placesIn(item).length };
    },

    findStanding: async (credential, signal) => standingOf(await readAccess(table, credential, signal)),

    countMoreTasks: async (task, more, signal) => {
      const { applied, item } = await add(task, taskCounters(task), more, signal);
      return countsOf(applied, item, task.windows, task.keyId);
    },

    refund: async (task, signal) => {
      const counters = taskCounters(task).map(({ attribute }) => ({ attribute, limit: undefined }));
      await add(task, counters, -task.tasks, signal);
    },

    releasePlaces,
  };
};
