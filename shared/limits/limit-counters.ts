import type { Item, ItemTable } from "../storage/item-table.ts";
import { accountCounters, limitKeys, minuteOfCounter } from "./keys.ts";
import type { AccountPolicy, AddressLimitClass } from "./policies.ts";
import type { Windows } from "./windows.ts";

/** A request of an account. */
export interface AccountRequest {
  readonly userId: number;
  readonly policy: AccountPolicy;
  /** The operation that the quota pays for; `undefined` when only the minute's limit counts. */
  readonly task: string | undefined;
  /** How many tasks it stands for. */
  readonly tasks: number;
  readonly windows: Windows;
}

/** A request of somebody without a token. */
export interface AddressRequest {
  /** The source address, or the network that is limited as one. */
  readonly group: string;
  readonly limitClass: AddressLimitClass;
  readonly perMinute: number;
  readonly windows: Windows;
}

/** How often an account, or an address, has called in the windows of a request, that request included if it counted. */
export interface Counts {
  /** `false` when a limit stood in the way: then nothing was counted. */
  readonly counted: boolean;
  readonly minute: number;
  /** Tasks; 0 where they were not asked for. */
  readonly day: number;
  readonly month: number;
}

/** Counts requests. Each method is one round trip to the store, which rejects when the store cannot be reached. */
export interface LimitCounters {
  countForAccount(request: AccountRequest, signal: AbortSignal): Promise<Counts>;
  countForAddress(request: AddressRequest, signal: AbortSignal): Promise<Counts>;
  /** Counts more tasks of a request that was counted as one, all of them or none; the minute counts it once. */
  countMoreTasks(request: AccountRequest, more: number, signal: AbortSignal): Promise<Counts>;
  /** Takes counted tasks off the day and the month again; the minute has seen the request all the same. */
  refund(request: AccountRequest, signal: AbortSignal): Promise<void>;
}

/** A counter of an item, and the value at which it stops. */
interface Counter {
  readonly attribute: string;
  /** `undefined` for a counter that only counts. */
  readonly limit: number | undefined;
}

/** The numbers of an item; a counter that is not there has counted nothing yet. */
export type CounterValues = ReadonlyMap<string, number>;

/** The numbers of an item. */
export const numbersOf = (item: Item | undefined): CounterValues =>
  new Map(
    Object.entries(item ?? {}).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
  );

/** A write that raises all the counters, or none when one of them would pass its limit. */
const conditionalAddition = (counters: readonly Counter[], expiresAt: number, amount: number) => {
  const limited = counters.flatMap(({ limit }, index) => (limit === undefined ? [] : [{ limit, index }]));
  return {
    UpdateExpression: `SET expires_at = :expires ADD ${counters.map((_, index) => `#c${index} :amount`).join(", ")}`,
    ...(limited.length === 0
      ? {}
      : {
          ConditionExpression: limited
            .map(({ index }) => `(attribute_not_exists(#c${index}) OR #c${index} <= :l${index})`)
            .join(" AND "),
        }),
    ExpressionAttributeNames: Object.fromEntries(
      counters.map(({ attribute }, index) => [`#c${index}`, attribute]),
    ),
    ExpressionAttributeValues: {
      ":amount": amount,
      ":expires": expiresAt,
      ...Object.fromEntries(limited.map(({ limit, index }) => [`:l${index}`, limit - amount])),
    },
  };
};

/**
 * Raises the counters of an item, all together, unless one of them would pass its limit: one atomic write.
 *
 * @param expiresAt Unix seconds after which the item may go.
 * @returns whether it counted, and all numbers of the item, after the write or as they stand in its way.
 */
const countWithin = async (
  table: ItemTable,
  Key: Readonly<Record<string, string>>,
  counters: readonly Counter[],
  expiresAt: number,
  signal: AbortSignal,
  amount = 1,
): Promise<{ readonly counted: boolean; readonly values: CounterValues }> => {
  const { applied, item } = await table.update(
    { Key, ...conditionalAddition(counters, expiresAt, amount) },
    signal,
  );
  return { counted: applied, values: numbersOf(item) };
};

/** How long a month's counters are kept after its end: usage is shown for 30 days. */
const keptSeconds = 35 * 24 * 60 * 60;

/** So many minutes of the past may stand in an item before they are removed; together they stay under a kilobyte. */
const toleratedPastMinutes = 64;

/** DynamoDB takes at most 4 KB of expression; what is left over is removed with the next minute. */
const mostRemovals = 250;

/** Minutes that are over. The last one stays: another function's clock may be a little behind. */
const pastMinutes = (values: CounterValues, { minuteOfMonth }: Windows): string[] =>
  [...values.keys()].filter((name) => {
    const minute = minuteOfCounter(name);
    return minute !== undefined && minute < minuteOfMonth - 1;
  });

/** The counters in the service's table; access patterns C1 and C2 of this folder's README. */
export const createLimitCounters = (table: ItemTable): LimitCounters => {
  const removePastMinutes = async (
    { userId, windows }: AccountRequest,
    values: CounterValues,
    signal: AbortSignal,
  ): Promise<void> => {
    const past = pastMinutes(values, windows).slice(0, mostRemovals);
    if (past.length <= toleratedPastMinutes) return;
    await table.update(
      {
        Key: limitKeys.account(userId, windows.month),
        UpdateExpression: `REMOVE ${past.map((_, index) => `#m${index}`).join(", ")}`,
        ExpressionAttributeNames: Object.fromEntries(past.map((name, index) => [`#m${index}`, name])),
      },
      signal,
    );
  };

  /** The counters of the quota, and of the operation that it pays for. */
  const taskCounters = ({ policy, task, windows }: AccountRequest): Counter[] =>
    task === undefined
      ? []
      : [
          { attribute: accountCounters.day(windows.dayOfMonth), limit: policy.perDay },
          { attribute: accountCounters.month, limit: policy.perMonth },
          { attribute: accountCounters.operation(windows.dayOfMonth, task), limit: undefined },
        ];

  const keptUntil = ({ windows }: AccountRequest): number =>
    Math.floor(windows.ends.month / 1_000) + keptSeconds;

  const countsOf = (counted: boolean, values: CounterValues, windows: Windows): Counts => ({
    counted,
    minute: values.get(accountCounters.minute(windows.minuteOfMonth)) ?? 0,
    day: values.get(accountCounters.day(windows.dayOfMonth)) ?? 0,
    month: values.get(accountCounters.month) ?? 0,
  });

  return {
    countForAccount: async (request, signal) => {
      const { userId, policy, windows } = request;
      const minute = accountCounters.minute(windows.minuteOfMonth);
      const { counted, values } = await countWithin(
        table,
        limitKeys.account(userId, windows.month),
        [{ attribute: minute, limit: policy.perMinute }, ...taskCounters(request)],
        keptUntil(request),
        signal,
      );
      // Of all requests in a minute one tidies up, so that busy accounts do not do it again and again.
      if (counted && values.get(minute) === 1) await removePastMinutes(request, values, signal);
      return countsOf(counted, values, windows);
    },

    countMoreTasks: async (request, more, signal) => {
      const { counted, values } = await countWithin(
        table,
        limitKeys.account(request.userId, request.windows.month),
        taskCounters(request),
        keptUntil(request),
        signal,
        more,
      );
      return countsOf(counted, values, request.windows);
    },

    refund: async ({ userId, task, tasks, windows }, signal) => {
      if (task === undefined) return;
      const names = [
        accountCounters.day(windows.dayOfMonth),
        accountCounters.month,
        accountCounters.operation(windows.dayOfMonth, task),
      ];
      await table.update(
        {
          Key: limitKeys.account(userId, windows.month),
          UpdateExpression: `ADD ${names.map((_, index) => `#c${index} :back`).join(", ")}`,
          ConditionExpression: "attribute_exists(PK)",
          ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#c${index}`, name])),
          ExpressionAttributeValues: { ":back": -tasks },
        },
        signal,
      );
    },

    countForAddress: async ({ group, limitClass, perMinute, windows: { ends } }, signal) => {
      const endSeconds = Math.floor(ends.minute / 1_000);
      const { counted, values } = await countWithin(
        table,
        limitKeys.address(group, limitClass, endSeconds / 60 - 1),
        [{ attribute: "requests", limit: perMinute }],
        endSeconds,
        signal,
      );
      return { counted, minute: values.get("requests") ?? 0, day: 0, month: 0 };
    },
  };
};
