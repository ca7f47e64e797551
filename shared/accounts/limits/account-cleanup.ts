import * as z from "zod";
import { dayMilliseconds } from "../../platform/durations.ts";
import { exists, type Item } from "../../platform/storage/table.ts";
import { revokedTokens } from "../access/access.ts";
import { accountKeys } from "../access/keys.ts";
import { type Additions, toUpdate, withAdditions } from "./counter-update.ts";
import { streamSlots, windowOfCounter } from "./keys.ts";
import type { LimitTable } from "./limit-counters.ts";
import { createUsageItems } from "./usage-items.ts";
import { monthOf, type Windows } from "./windows.ts";

/** The cleanup of an account's items that one of its requests does. */
export interface AccountCleanup {
  readonly userId: number;
  /** The access item after the request. */
  readonly item: Item;
  readonly windows: Windows;
  /** Whether it is the account's first task of the day. */
  readonly beginsDay: boolean;
}

/** An item may hold this many expired entries, less than a kilobyte, before they are removed. */
const maxExpired = 64;

/** DynamoDB takes at most 4 KB of expression; the next minute removes the rest. */
const maxRemovals = 120;

const retainedMonthsDays = 62;

/**
 * Returns the counters of windows that have ended, except for usage, which is moved. The last minute and day stay: another
 * function's clock may be behind, and a task of yesterday may still be refunded.
 */
const expiredCounters = (item: Item, { minute, day }: Windows): string[] => {
  const firstMonth = monthOf((day - retainedMonthsDays) * dayMilliseconds);
  return Object.keys(item).filter((name) => {
    const window = windowOfCounter(name);
    if (window?.kind === "minute") return window.minute < minute - 1;
    if (window?.kind === "day") return window.day < day - 1;
    return window?.kind === "month" && window.month < firstMonth;
  });
};

/** Returns the revoked tokens that have expired since. The end 0 means never. */
const expiredTokens = (item: Item, { minute }: Windows): string[] =>
  Object.entries(revokedTokens.parse(item)).flatMap(([id, { end }]) =>
    end !== 0 && end < minute * 60 ? [id] : [],
  );

const keyEntries = z.object({
  api_keys: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

/** Returns the keys of an account by their ids. */
export const keysIn = (item: Item) => keyEntries.parse(item).api_keys;

/** Returns the stream slots that an account uses. */
export const slotsIn = (item: Item): string[] =>
  item["streams"] instanceof Set ? Array.from(item["streams"], String) : [];

/** Keeps the items of accounts small, with writes of its own that few requests make. */
export const createAccountCleanup = (table: LimitTable) => {
  const usage = createUsageItems(table);

  /** Releases stream slots and counts pending usage, at most once. */
  const releaseSlots = async (
    userId: number,
    slots: readonly string[],
    pending: Additions | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    const release = {
      Key: accountKeys.access(userId),
      clauses: "DELETE streams :slots",
      additions: [],
      ...exists,
      ExpressionAttributeValues: { ":slots": new Set(slots) },
    };
    const again = () => toUpdate(release);
    await table.updateWithFallback(toUpdate(withAdditions(release, pending)), again, signal);
  };

  /** Removes the slots that killed functions have left. Returns whether there were any. */
  const removeExpiredSlots = async (
    userId: number,
    item: Item,
    windows: Windows,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const expired = slotsIn(item).filter((slot) => streamSlots.isOver(slot, windows));
    if (expired.length === 0) return false;
    await releaseSlots(userId, expired, undefined, signal);
    return true;
  };

  const removeExpired = async (userId: number, item: Item, windows: Windows, signal: AbortSignal) => {
    const expired = [
      ...expiredCounters(item, windows).map((name) => ["", name] as const),
      ...expiredTokens(item, windows).map((id) => ["revoked.", id] as const),
      ...Object.entries(keysIn(item)).flatMap(([id, key]) =>
        expiredCounters(key, windows).map((name) => [`api_keys.${id}.`, name] as const),
      ),
    ];
    if (expired.length <= maxExpired) return;
    const paths = expired.slice(0, maxRemovals);
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
    /** Does all steps, one after the other: writes of one item would conflict. */
    cleanUp: async (
      { userId, item, windows, beginsDay }: AccountCleanup,
      signal: AbortSignal,
    ): Promise<void> => {
      if (beginsDay) await usage.note(userId, windows.day, signal);
      await usage.move(userId, item, windows, signal);
      await removeExpiredSlots(userId, item, windows, signal);
      await removeExpired(userId, item, windows, signal);
    },
  };
};
