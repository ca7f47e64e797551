import { exists, type Item, type RequestTable } from "../../platform/storage/table.ts";
import { toUpdate } from "./counter-update.ts";
import { limitKeys } from "./keys.ts";
import type { AddressLimitClass } from "./policies.ts";
import type { Windows } from "./windows.ts";

/** What counting needs of the table. */
export type LimitTable = Pick<RequestTable, "read" | "transact" | "update" | "updateWithFallback">;

/** A request without a token. */
export interface AddressRequest {
  /** The source address, or the network that is limited as one. */
  readonly group: string;
  readonly limitClass: AddressLimitClass;
  readonly perMinute: number;
  readonly windows: Windows;
}

/** The number of requests of an account or address in each window, the present one included if it was counted. */
export interface Counts {
  /** `false` when the request was refused; then nothing was counted. */
  readonly counted: boolean;
  readonly minute: number;
  /** Tasks; 0 for requests that count none. */
  readonly day: number;
  readonly month: number;
  /** Tasks of the key in the month. */
  readonly ofKey?: number;
  /** Requests of the key in the minute. */
  readonly minuteOfKey?: number;
  /** The account's streams, for a request that takes a slot. */
  readonly streams?: number;
}

/** Counts requests of addresses. Each call is one round trip to the table, and rejects when that fails. */
export interface AddressCounters {
  countForAddress(request: AddressRequest, signal: AbortSignal): Promise<Counts>;
}

/** A counter of an item, with its limit. */
export interface Counter {
  readonly attribute: string;
  /** `undefined` for a counter without a limit. */
  readonly limit: number | undefined;
}

/** Returns a counter of an item, 0 when it is missing. */
export const countIn = (item: Item, attribute: string): number => {
  const value = item[attribute];
  return typeof value === "number" ? value : 0;
};

/** Returns the numbers of an item. */
export const numbersOf = (item: Item | undefined): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(item ?? {}).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
  );

/** How to raise counters. */
export interface Addition {
  readonly amount: number;
  /** Unix seconds at which an item that the write creates expires; without it the item must exist. */
  readonly expiresAt?: number;
}

/** An update that raises all counters, or none when one of them would exceed its limit. */
export const conditionalAddition = (counters: readonly Counter[], { amount, expiresAt }: Addition) => {
  const limited = counters.flatMap(({ limit }, index) => (limit === undefined ? [] : [{ limit, index }]));
  const conditions = [
    ...(expiresAt === undefined ? [exists.ConditionExpression] : []),
    // A comparison with a missing counter is false.
    ...limited.map(({ index }) => `NOT #c${index} > :l${index}`),
  ];
  return {
    ...(expiresAt === undefined ? {} : { clauses: "SET expires_at = :expires" }),
    additions: counters.map((_, index) => `#c${index} :amount`),
    ...(conditions.length === 0 ? {} : { ConditionExpression: conditions.join(" AND ") }),
    ExpressionAttributeNames: Object.fromEntries(
      counters.map(({ attribute }, index) => [`#c${index}`, attribute]),
    ),
    ExpressionAttributeValues: {
      ":amount": amount,
      ...(expiresAt === undefined ? {} : { ":expires": expiresAt }),
      ...Object.fromEntries(limited.map(({ limit, index }) => [`:l${index}`, limit - amount])),
    },
  };
};

/** The counters of addresses in the service's table; access pattern C2 of this folder's README. */
export const createAddressCounters = (table: Pick<LimitTable, "update">): AddressCounters => ({
  countForAddress: async ({ group, limitClass, perMinute, windows: { minute, ends } }, signal) => {
    const expiresAt = Math.floor(ends.minute / 1_000);
    const addition = conditionalAddition([{ attribute: "requests", limit: perMinute }], {
      amount: 1,
      expiresAt,
    });
    const Key = limitKeys.address(group, limitClass, minute);
    const { applied, item } = await table.update(toUpdate({ Key, ...addition }), signal);
    return { counted: applied, minute: countIn(item, "requests"), day: 0, month: 0 };
  },
});
