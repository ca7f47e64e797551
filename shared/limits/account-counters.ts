import { readAccess, type TokenAccess, tokenAccess } from "../accounts/access.ts";
import { accountTypes } from "../accounts/account.ts";
import { accountKeys } from "../accounts/keys.ts";
import type { TokenClaims } from "../auth/tokens.ts";
import type { Item, ItemTable } from "../storage/item-table.ts";
import { accountCounters, streamPlaces, windowOfCounter } from "./keys.ts";
import { type Counter, type Counts, conditionalAddition, countIn } from "./limit-counters.ts";
import type { AccountPolicies, AccountPolicy } from "./policies.ts";
import { usageCounter } from "./usage-counters.ts";
import { monthOf, type Windows } from "./windows.ts";

/** A request with a token. */
export interface AccountRequest {
  readonly token: TokenClaims;
  /** The operation that the quota pays for; `undefined` when only the minute's limit counts. */
  readonly task: string | undefined;
  /** The key that it was sent with; `undefined` for a token. */
  readonly keyId?: string | undefined;
  readonly windows: Windows;
  /** The place that it takes among its account's streams, of a task whose response may leave while it is made. */
  readonly place?: string | undefined;
}

/** What a token's account has, as the store knows it at this moment. */
export interface AccountStanding {
  readonly access: TokenAccess;
  readonly policy: AccountPolicy;
}

/** What came of admitting a request, and how the token's account stands; `undefined` when there is no such account. */
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
   * Counts a request, if its token stands and no limit is reached. What stands in its way when it was not counted,
   * whoever asks finds out from what is given.
   */
  countForAccount(request: AccountRequest, signal: AbortSignal): Promise<AccountCounts>;
  /** How a token's account stands, without counting anything; `undefined` when there is no such account. */
  findStanding(token: TokenClaims, signal: AbortSignal): Promise<AccountStanding | undefined>;
  /** Counts more tasks of a request that was counted as one, all of them or none; the minute counts it once. */
  countMoreTasks(task: CountedTask, more: number, signal: AbortSignal): Promise<Counts>;
  /** Takes counted tasks off the day and the month again; the minute has seen the request all the same. */
  refund(task: CountedTask, signal: AbortSignal): Promise<void>;
  /** Gives places of streams back. One that was given back before, or never taken, changes nothing. */
  releasePlaces(userId: number, places: readonly string[], signal: AbortSignal): Promise<void>;
}

/** The expressions of the write that admits a request, but for what differs from request to request. */
export interface AdmissionExpressions {
  readonly UpdateExpression: string;
  readonly ConditionExpression: string;
  readonly values: Readonly<Record<string, string | number | boolean>>;
}

/**
 * The condition on which a request is admitted and counted, made from the limits of all tiers: which tier the account has,
 * and whether its token still stands, is found out by the very write that counts, so that nothing is read before it and
 * nothing can change between.
 *
 * Names: `#t` the token's id, `#m` the minute, `#d` the day, `#M` the month, `#o` the operation in the
 * day, by this key. A comparison
 * with an attribute that is not there is false, so that `NOT #m >= :limit` lets the first request of a window through as
 * well; the size of a set that is not there is no number either. Without parentheses, because AND binds more tightly, and the
 * embedded DynamoDB takes its time over those.
 *
 * @param takesPlace whether the request, a task, also takes the place `:place` among its account's streams.
 */
export const admissionExpressions = (
  policyOf: AccountPolicies,
  isTask: boolean,
  takesPlace = false,
): AdmissionExpressions => {
  const values: Record<string, string | number | boolean> = { ":one": 1, ":no": false };
  const below = (name: string, limit: number | undefined, placeholder: string): string[] => {
    if (limit === undefined) return [];
    values[placeholder] = limit;
    return [`NOT ${name} >= ${placeholder}`];
  };
  const quota = ({ perDay, perMonth }: AccountPolicy, of: string): string[] =>
    isTask ? [...below("#d", perDay, `:${of}Day`), ...below("#M", perMonth, `:${of}Month`)] : [];
  const isVerified = (value: ":yes" | ":no"): string => {
    values[value] = value === ":yes";
    return `email_verified = ${value}`;
  };

  const alternatives = accountTypes.flatMap((type) => {
    values[`:${type}`] = type;
    const full = policyOf({ account_type: type, email_verified: true });
    const unverified = policyOf({ account_type: type, email_verified: false });
    const always = [
      "token_epoch = :epoch",
      "disabled = :no",
      "attribute_not_exists(revoked.#t)",
      `account_type = :${type}`,
      ...below("#m", full.perMinute, `:${type}Minute`),
      ...(takesPlace ? below("size(streams)", full.streamsAtOnce, `:${type}Streams`) : []),
    ];
    if (!isTask || !unverified.onceVerified) return [[...always, ...quota(full, type)]];
    return [
      [...always, isVerified(":yes"), ...quota(full, type)],
      [...always, isVerified(":no"), ...quota(unverified, `Unverified${type}`)],
    ];
  });
  return {
    UpdateExpression: `ADD #m :one${isTask ? ", #d :one, #M :one, #o :one" : ""}${takesPlace ? ", streams :place" : ""}`,
    ConditionExpression: alternatives.map((conditions) => conditions.join(" AND ")).join(" OR "),
    values,
  };
};

/** So much of what is over may stand in an item before it is removed; together it stays under a kilobyte. */
const toleratedPast = 64;

/** DynamoDB takes at most 4 KB of expression; what is left over is removed with the next minute. */
const mostRemovals = 200;

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
const expiredTokens = ({ revoked }: Item, { minute }: Windows): string[] =>
  Object.entries(revoked ?? {}).flatMap(([id, end]) =>
    typeof end === "number" && end !== 0 && end < minute * 60 ? [id] : [],
  );

/** The places of an account's streams. */
const placesIn = (item: Item): string[] =>
  item["streams"] instanceof Set ? Array.from(item["streams"], String) : [];

/** The counters of accounts in the service's table, in their access items; access pattern A5 of `shared/accounts/README.md`. */
export const createAccountCounters = (table: ItemTable, policyOf: AccountPolicies): AccountCounters => {
  const ofTasks = admissionExpressions(policyOf, true);
  const ofStreams = admissionExpressions(policyOf, true, true);
  const ofOthers = admissionExpressions(policyOf, false);

  const standingOf = (access: TokenAccess | undefined): AccountStanding | undefined =>
    access && { access, policy: policyOf(access) };

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
    const counters = pastCounters(item, windows);
    const tokens = expiredTokens(item, windows);
    if (counters.length + tokens.length <= toleratedPast) return;
    const paths = [
      ...counters.map((name) => ["", name] as const),
      ...tokens.map((id) => ["revoked.", id] as const),
    ].slice(0, mostRemovals);
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

  const countsOf = (counted: boolean, item: Item, { minute, day, month }: Windows): Counts => ({
    counted,
    minute: countIn(item, accountCounters.minute(minute)),
    day: countIn(item, accountCounters.day(day)),
    month: countIn(item, accountCounters.month(month)),
  });

  /** The counters of the quota, and of the operation that it pays for. */
  const taskCounters = ({ policy, operationId, keyId, windows: { day, month } }: CountedTask): Counter[] => [
    { attribute: accountCounters.day(day), limit: policy.perDay },
    { attribute: accountCounters.month(month), limit: policy.perMonth },
    { attribute: usageCounter({ day, operationId, keyId }, "requests"), limit: undefined },
  ];

  const add = (task: CountedTask, counters: readonly Counter[], amount: number, signal: AbortSignal) =>
    table.update(
      { Key: accountKeys.access(task.userId), ...conditionalAddition(counters, { amount }) },
      signal,
    );

  return {
    countForAccount: async ({ token, task, keyId, windows, place }, signal) => {
      const ofTask = place === undefined ? ofTasks : ofStreams;
      const { values, ...expressions } = task === undefined ? ofOthers : ofTask;
      const { minute, day, month } = windows;
      const update = {
        Key: accountKeys.access(token.userId),
        ...expressions,
        ExpressionAttributeNames: {
          "#t": token.tokenId,
          "#m": accountCounters.minute(minute),
          ...(task === undefined
            ? {}
            : {
                "#d": accountCounters.day(day),
                "#M": accountCounters.month(month),
                "#o": usageCounter({ day, operationId: task, keyId }, "requests"),
              }),
        },
        ExpressionAttributeValues:
          place === undefined
            ? { ...values, ":epoch": token.tokenEpoch }
            : { ...values, ":epoch": token.tokenEpoch, ":place": new Set([place]) },
      };
      let { applied, item } = await table.update(update, signal);
      if (!applied && place !== undefined && (await removeOverPlaces(token.userId, item, windows, signal))) {
        ({ applied, item } = await table.update(update, signal));
      }
      // A write that is sent again, because its answer was lost, may be refused for the place that it holds itself.
      const isHeld = !applied && place !== undefined && placesIn(item).includes(place);
      const counts = countsOf(applied || isHeld, item, windows);
      // Of all requests in a minute one tidies up, so that busy accounts do not do it again and again. What it does not get
      // done is left for another minute: the request is counted, whatever becomes of it.
      if (applied && counts.minute === 1) {
        await removePast(token.userId, item, windows, signal).catch(() => undefined);
      }
      const standing = standingOf(tokenAccess(item, token));
      return place === undefined
        ? { ...counts, standing }
        : { ...counts, standing, streams: placesIn(item).length };
    },

    findStanding: async (token, signal) => standingOf(await readAccess(table, token, signal)),

    countMoreTasks: async (task, more, signal) => {
      const { applied, item } = await add(task, taskCounters(task), more, signal);
      return countsOf(applied, item, task.windows);
    },

    refund: async (task, signal) => {
      const counters = taskCounters(task).map(({ attribute }) => ({ attribute, limit: undefined }));
      await add(task, counters, -task.tasks, signal);
    },

    releasePlaces,
  };
};
