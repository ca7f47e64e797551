import * as z from "zod";
import { dayMilliseconds } from "../../platform/durations.ts";
import type { Item } from "../../platform/storage/table.ts";
import { revokedTokens } from "../access/access.ts";
import { accountKeys } from "../access/keys.ts";
import { streamSlots, windowOfCounter } from "./keys.ts";
import type { LimitTable } from "./limit-counters.ts";
import { type Additions, createUsageItems, withAdditions } from "./usage-items.ts";
import { monthOf, type Windows } from "./windows.ts";

/** What is to be done for an account's items by one of its requests. */
export interface AccountCleanup {
  readonly userId: number;
  /** The access item as the request has left it. */
  readonly item: Item;
  readonly windows: Windows;
  /** Whether it is the account's first task of the day. */
  readonly beginsDay: boolean;
}

/** So much of what is over may stand in an item before it is removed; together it stays under a kilobyte. */
const toleratedPast = 64;

/** DynamoDB takes at most 4 KB of expression; what is left over is removed with the next minute. */
const maxRemovals = 120;

const retainedMonthsDays = 62;

/**
 * Counters of windows that are over, but for those of usage, which are moved. The last minute and the last day stay: another
 * function's clock may be a little behind, and a task of yesterday may still be given back.
 */
const pastCounters = (item: Item, { minute, day }: Windows): string[] => {
  const firstMonth = monthOf((day - retainedMonthsDays) * dayMilliseconds);
  return Object.keys(item).filter((name) => {
    const window = windowOfCounter(name);
    if (window?.kind === "minute") return window.minute < minute - 1;
    if (window?.kind === "day") return window.day < day - 1;
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
export const keysIn = (item: Item) => keyEntries.parse(item).api_keys;

/** The places of an account's streams. */
export const slotsIn = (item: Item): string[] =>
  item["streams"] instanceof Set ? Array.from(item["streams"], String) : [];

/** Keeps the items of accounts small and in order, with writes of its own, which few requests make. */
export const createAccountCleanup = (table: LimitTable) => {
  const usage = createUsageItems(table);

  /** Gives places of streams back, and counts what is owed, once at most. */
  const releaseSlots = async (
    userId: number,
    slots: readonly string[],
    pending: Additions | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    const release = {
      Key: accountKeys.access(userId),
      UpdateExpression: "DELETE streams :places",
      ConditionExpression: "attribute_exists(PK)",
      ExpressionAttributeValues: { ":places": new Set(slots) },
    };
    await table.updateWithFallback(
      pending ? withAdditions(release, pending) : release,
      () => release,
      signal,
    );
  };

  /** Removes the places that killed functions have left behind. @returns whether there were any. */
  const removeExpiredSlots = async (
    userId: number,
    item: Item,
    windows: Windows,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const over = slotsIn(item).filter((slot) => streamSlots.isOver(slot, windows));
    if (over.length === 0) return false;
    await releaseSlots(userId, over, undefined, signal);
    return true;
  };

  const removePast = async (userId: number, item: Item, windows: Windows, signal: AbortSignal) => {
    const past = [
      ...pastCounters(item, windows).map((name) => ["", name] as const),
      ...expiredTokens(item, windows).map((id) => ["revoked.", id] as const),
      ...Object.entries(keysIn(item)).flatMap(([id, key]) =>
        pastCounters(key, windows).map((name) => [`api_keys.${id}.`, name] as const),
      ),
    ];
    if (past.length <= toleratedPast) return;
    const paths = past.slice(0, maxRemovals);
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

  return {
    releaseSlots,
    removeExpiredSlots,
    /** Does what is to be done, one after the other: writes of one item would be in each other's way. */
    cleanUp: async (
      { userId, item, windows, beginsDay }: AccountCleanup,
      signal: AbortSignal,
    ): Promise<void> => {
      if (beginsDay) await usage.note(userId, windows.day, signal);
      await usage.move(userId, item, windows, signal);
      await removeExpiredSlots(userId, item, windows, signal);
      await removePast(userId, item, windows, signal);
    },
  };
};
