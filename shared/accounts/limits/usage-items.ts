import { daySeconds } from "../../platform/durations.ts";
import type { Item, ItemUpdate } from "../../platform/storage/table.ts";
import { accountKeys } from "../access/keys.ts";
import { limitKeys } from "./keys.ts";
import { type LimitTable, numbersOf } from "./limit-counters.ts";
import { dayCounter, readUsageCounter } from "./usage-counters.ts";
import { dateOfDay, type Windows } from "./windows.ts";

/** As long as somebody may ask about a bill: a year, and the month in which it was written. */
const retainedDays = 400;

/** Numbers of an item that are raised together. */
export type Additions = ReadonlyMap<string, number>;

/** Additions in DynamoDB's words: what stands behind `ADD`, with names and values of their own. */
const additionClause = (additions: Additions) => {
  const entries = Array.from(additions);
  return {
    clause: entries.map((_, index) => `#u${index} :u${index}`).join(", "),
    names: Object.fromEntries(entries.map(([name], index) => [`#u${index}`, name])),
    values: Object.fromEntries(entries.map(([, amount], index) => [`:u${index}`, amount])),
  };
};

/** A change that also raises numbers. */
export const withAdditions = <Change extends ItemUpdate>(change: Change, additions: Additions): Change => {
  if (additions.size === 0) return change;
  const { clause, names, values } = additionClause(additions);
  const { UpdateExpression: expression } = change;
  return {
    ...change,
    UpdateExpression: expression.includes("ADD ")
      ? expression.replace("ADD ", `ADD ${clause}, `)
      : `${expression} ADD ${clause}`.trim(),
    ExpressionAttributeNames: { ...change.ExpressionAttributeNames, ...names },
    ExpressionAttributeValues: { ...change.ExpressionAttributeValues, ...values },
  };
};

const expiryOf = (day: number): number => (day + retainedDays) * daySeconds;

/** Makes the item of a day, if it is not there yet. */
const noteDay = (userId: number, day: number): ItemUpdate => ({
  Key: limitKeys.usage(dateOfDay(day), userId),
  UpdateExpression: "SET expires_at = :expires",
  ExpressionAttributeValues: { ":expires": expiryOf(day) },
});

/**
 * DynamoDB takes 4 KB of expression and 300 operators; comparing so many counters takes half of either. More are moved by
 * the next transaction.
 */
const maxMoved = 90;

/** A counter of the access item on its way. */
interface Moved {
  readonly attribute: string;
  readonly amount: number;
  /** What it is called in the day's item. */
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
    withAdditions(noteDay(userId, day), sums),
  ];
};

/**
 * What moves counters of an access item to the items of their days: for each step two writes that belong together. The first
 * is on the condition that the counters still are as they were seen, so that of two who move them one does, and what is
 * counted meanwhile is left for another time.
 *
 * @param until the first day that is left alone, counted from 1970.
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

/** A request is charged with few steps; what is left over is moved with the next minute. */
const maxSteps = 4;

/**
 * A day is over when it has been for two minutes: clocks of functions differ a little, and what the last requests have used
 * is counted when they are over. What is counted later still is moved after it.
 */
const lateMinutes = 2;
const minutesInDay = 24 * 60;

/**
 * An access item with more counters than these is charged for several times: an account whose many keys ask for everything.
 * They are moved although their day is not over.
 */
const maxCounters = 120;

const countersIn = (item: Item): number =>
  Object.keys(item).filter((name) => readUsageCounter(name) !== undefined).length;

/** The usage of accounts on days that are over; access pattern C9 of this folder's README. */
export const createUsageItems = (table: LimitTable) => ({
  /** Makes the item of a day that has begun for an account, so that whoever bills knows of it. Twice does no harm. */
  note: async (userId: number, day: number, signal: AbortSignal): Promise<void> => {
    await table.update(noteDay(userId, day), signal);
  },

  /** Moves what was counted on days that are over out of an access item as it was seen, and all when it is too much. */
  move: async (userId: number, item: Item, { minute, day }: Windows, signal: AbortSignal): Promise<void> => {
    const isLarge = countersIn(item) > maxCounters;
    // What is counted today changes all the time: it is moved as it is at this moment.
    const newest = isLarge ? await table.read({ Key: accountKeys.access(userId) }, signal) : item;
    const until = isLarge ? day + 1 : Math.floor((minute - lateMinutes) / minutesInDay);
    for (const step of usageMoves(userId, newest ?? {}, until).slice(0, maxSteps)) {
      // Should another request write to them, they are moved next time.
      await table.transact(
        step.map((update) => ({ update })),
        { reportsConflicts: true, signal },
      );
    }
  },
});
