import { daySeconds, minuteSeconds } from "../../platform/durations.ts";
import type { Item, ItemUpdate } from "../../platform/storage/table.ts";
import { accountKeys } from "../access/keys.ts";
import { toUpdate, withAdditions } from "./counter-update.ts";
import { limitKeys } from "./keys.ts";
import { type LimitTable, numbersOf } from "./limit-counters.ts";
import { dayCounter, readUsageCounter } from "./usage-counters.ts";
import { dateOfDay, type Windows } from "./windows.ts";

/** Bills may be questioned for a year and the month in which they were written. */
export const usageLifetimeDays = 400;

/** The update that creates the item of a day, unless it exists. */
const dayUpdate = (userId: number, day: number) => ({
  Key: limitKeys.usage(dateOfDay(day), userId),
  clauses: "SET expires_at = :expires",
  additions: [],
  ExpressionAttributeValues: { ":expires": (day + usageLifetimeDays) * daySeconds },
});

/**
 * DynamoDB takes 4 KB of expression and 300 operators; comparing this many counters takes half of either. The next
 * transaction moves the rest.
 */
const maxMoved = 90;

/** A counter of the access item to be moved. */
interface Moved {
  readonly attribute: string;
  readonly amount: number;
  /** Its name in the item of the day. */
  readonly target: string;
}

const moveOf = (userId: number, day: number, moved: readonly Moved[]): [ItemUpdate, ItemUpdate] => {
  const sums = new Map<string, number>();
  for (const { target, amount } of moved) sums.set(target, (sums.get(target) ?? 0) + amount);
  return [
    {
      Key: accountKeys.access(userId),
      UpdateExpression: `REMOVE ${moved.map((_, index) => `#a${index}`).join(", ")}`,
      ConditionExpression: moved.map((_, index) => `#a${index} = :a${index}`).join(" AND "),
      ExpressionAttributeNames: Object.fromEntries(
        moved.map(({ attribute }, index) => [`#a${index}`, attribute]),
      ),
      ExpressionAttributeValues: Object.fromEntries(moved.map(({ amount }, index) => [`:a${index}`, amount])),
    },
    toUpdate(withAdditions(dayUpdate(userId, day), sums)),
  ];
};

/**
 * Returns the steps that move counters of an access item to the items of their days, each two updates for one transaction.
 * The first requires that the counters are unchanged, so parallel moves move them once, and later counts stay for another
 * move.
 *
 * @param until the first day to leave alone, counted from 1970.
 */
export const usageMoves = (userId: number, item: Item, until: number): [ItemUpdate, ItemUpdate][] => {
  const days = new Map<number, Moved[]>();
  for (const [attribute, amount] of numbersOf(item)) {
    const counter = readUsageCounter(attribute);
    if (!counter || counter.day >= until) continue;
    const ofDay = days.get(counter.day) ?? [];
    days.set(counter.day, ofDay);
    ofDay.push({ attribute, amount, target: dayCounter(counter) });
  }
  return Array.from(days).flatMap(([day, counters]) =>
    Array.from({ length: Math.ceil(counters.length / maxMoved) }, (_, step) =>
      moveOf(userId, day, counters.slice(step * maxMoved, (step + 1) * maxMoved)),
    ),
  );
};

/** The max number of steps for one request; the next minute moves the rest. */
const maxSteps = 4;

/** A day's counters are moved two minutes after its end: clocks differ a little, and late requests are counted at their end. */
const lateMinutes = 2;
const minutesInDay = daySeconds / minuteSeconds;

/** Each write of an access item with more counters than this costs extra, so they are moved before their day has ended. */
const maxCounters = 120;

const countersIn = (item: Item): number =>
  Object.keys(item).filter((name) => readUsageCounter(name) !== undefined).length;

/** The usage of accounts on past days; access pattern C9 of this folder's README. */
export const createUsageItems = (table: LimitTable) => ({
  /** Creates the item of a day for an account, so bills include it. Repeating it does no harm. */
  note: async (userId: number, day: number, signal: AbortSignal): Promise<void> => {
    await table.update(toUpdate(dayUpdate(userId, day)), signal);
  },

  /** Moves the counters of past days out of an access item, or all counters when there are too many. */
  move: async (userId: number, item: Item, { minute, day }: Windows, signal: AbortSignal): Promise<void> => {
    const isLarge = countersIn(item) > maxCounters;
    // Today's counters change all the time, so they are read again.
    const newest = isLarge ? await table.read({ Key: accountKeys.access(userId) }, signal) : item;
    const until = isLarge ? day + 1 : Math.floor((minute - lateMinutes) / minutesInDay);
    for (const step of usageMoves(userId, newest ?? {}, until).slice(0, maxSteps)) {
      const writes = step.map((update) => ({ update }));
      // After a conflict, the next minute moves them.
      await table.transact(writes, { reportsConflicts: true, signal });
    }
  },
});
