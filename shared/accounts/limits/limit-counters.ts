import type { Item, RequestTable } from "../../platform/storage/table.ts";
import { limitKeys } from "./keys.ts";
import type { AddressLimitClass } from "./policies.ts";
import type { Windows } from "./windows.ts";

/** What counting needs of the table. */
export type LimitTable = Pick<RequestTable, "read" | "transact" | "update" | "updateWithFallback">;

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
  /** `false` when something stood in the way: then nothing was counted. */
  readonly counted: boolean;
  readonly minute: number;
  /** Tasks; 0 where they were not asked for. */
  readonly day: number;
  readonly month: number;
  /** Tasks of the key that was sent, in the month. */
  readonly ofKey?: number;
  /** Streams of the account, where one more was asked for: that one included if it counted. */
  readonly streams?: number;
}

/** Counts requests of addresses. Each is one round trip to the store, which rejects when the store cannot be reached. */
export interface AddressCounters {
  countForAddress(request: AddressRequest, signal: AbortSignal): Promise<Counts>;
}

/** A counter of an item, and the value at which it stops. */
export interface Counter {
  readonly attribute: string;
  /** `undefined` for a counter that only counts. */
  readonly limit: number | undefined;
}

/** A counter of an item; one that is not there has counted nothing yet. */
export const countIn = (item: Item, attribute: string): number => {
  const value = item[attribute];
  return typeof value === "number" ? value : 0;
};

/** The numbers of an item. */
export const numbersOf = (item: Item | undefined): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(item ?? {}).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
  );

/** How counters are raised. */
export interface Addition {
  readonly amount: number;
  /** Unix seconds after which an item that the write makes may go; without it the item must be there. */
  readonly expiresAt?: number;
}

/** A write that raises all the counters, or none when one of them would pass its limit. */
export const conditionalAddition = (counters: readonly Counter[], { amount, expiresAt }: Addition) => {
  const limited = counters.flatMap(({ limit }, index) => (limit === undefined ? [] : [{ limit, index }]));
  const conditions = [
    ...(expiresAt === undefined ? ["attribute_exists(PK)"] : []),
    // A comparison with a counter that is not there yet is false.
    ...limited.map(({ index }) => `NOT #c${index} > :l${index}`),
  ];
  return {
    UpdateExpression:
      `${expiresAt === undefined ? "" : "SET expires_at = :expires "}` +
      `ADD ${counters.map((_, index) => `#c${index} :amount`).join(", ")}`,
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
    const { applied, item } = await table.update(
      {
        Key: limitKeys.address(group, limitClass, minute),
        ...conditionalAddition([{ attribute: "requests", limit: perMinute }], {
          amount: 1,
          expiresAt: Math.floor(ends.minute / 1_000),
        }),
      },
      signal,
    );
    return { counted: applied, minute: countIn(item, "requests"), day: 0, month: 0 };
  },
});
