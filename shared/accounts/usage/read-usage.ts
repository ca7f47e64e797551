import * as z from "zod";
import type { Item, Table } from "../../platform/storage/table.ts";
import { type AccountType, accountAccess } from "../access/account.ts";
import { accountKeys } from "../access/keys.ts";
import { accountCounters, limitKeys } from "../limits/keys.ts";
import { numbersOf } from "../limits/limit-counters.ts";
import { type AccountPolicy, accountPoliciesWith } from "../limits/policies.ts";
import {
  readDayCounter,
  readUsageCounter,
  type UsageCounter,
  type UsageRow,
  type UsageUnit,
} from "../limits/usage-counters.ts";
import { dateOfDay, dayOfDate, windowsAt } from "../limits/windows.ts";

/** Days since 1970, both included. */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** What was used of one operation on one day with one key, or with tokens. */
export type UsedRow = UsageRow & Readonly<Record<UsageUnit, number>>;

/** What an account has used, and what it may use. */
export interface AccountUsage {
  readonly accountType: AccountType;
  readonly policy: AccountPolicy;
  /** Tasks on the quota of the day of this moment, and of its month. */
  readonly today: number;
  readonly month: number;
  /** Of recordings that jobs of the month transcribe. */
  readonly audioMilliseconds: number;
  /** Of the days that were asked for, oldest first. */
  readonly rows: readonly UsedRow[];
}

/** The counted usage of accounts. */
export interface UsageRepository {
  /** @param now milliseconds of Unix time. @returns `undefined` when there is no such account. */
  find(userId: number, range: DayRange, now: number): Promise<AccountUsage | undefined>;
}

type Counted = readonly (readonly [UsageCounter, number])[];

const nothing: Readonly<Record<UsageUnit, number>> = {
  requests: 0,
  errors: 0,
  characters: 0,
  promptTokens: 0,
  completionTokens: 0,
  audioMilliseconds: 0,
};

const countersIn = (item: Item, read: (attribute: string) => UsageCounter | undefined): Counted =>
  Array.from(numbersOf(item)).flatMap(([attribute, amount]) => {
    const counter = read(attribute);
    return counter ? [[counter, amount] as const] : [];
  });

/** By day, operation and key: DynamoDB gives attributes in no order. */
const inOrder = (one: UsageRow, other: UsageRow): number =>
  one.day - other.day ||
  one.operationId.localeCompare(other.operationId, "en") ||
  (one.keyId ?? "").localeCompare(other.keyId ?? "", "en");

/** What was counted in several items, summed up; what was given back as a whole was not used. */
const rowsOf = (counted: Counted): UsedRow[] => {
  const rows = new Map<string, UsageRow & Record<UsageUnit, number>>();
  for (const [{ day, operationId, keyId, unit }, amount] of counted) {
    const name = `${day} ${operationId} ${keyId ?? ""}`;
    const row = rows.get(name) ?? { day, operationId, keyId, ...nothing };
    row[unit] += amount;
    rows.set(name, row);
  }
  return Array.from(rows.values())
    .filter((row) => Object.keys(nothing).some((unit) => Object(row)[unit] > 0))
    .toSorted(inOrder);
};

const dayItem = z.looseObject({ SK: z.string() });

/** The day of an item, such as `7#2026-11-20`. */
const dayOfItem = ({ SK }: z.infer<typeof dayItem>): number => dayOfDate(SK.slice(SK.indexOf("#") + 1));

/** The months that a range of days touches, such as `2026-11`. */
const monthsOf = ({ from, to }: DayRange): string[] => {
  const days = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return [...new Set(days.map((day) => dateOfDay(day).slice(0, 7)))];
};

/** Somebody else is moving counters while they are read: that happens once a day. */
const maxReads = 5;

/**
 * What an account has used, with its access item as it was at that moment.
 *
 * Counters of days that are over move from the access item to items of their own, at any time. So where there are such
 * counters in the access item, it is read again after the others: as long as they are still there, nobody has moved them.
 *
 * @param today the day of this moment, counted from 1970.
 */
export const readUsage = async (
  table: Table,
  userId: number,
  range: DayRange,
  today: number,
): Promise<{ readonly access: Item | undefined; readonly rows: readonly UsedRow[] }> => {
  const isRequested = ({ day }: UsageCounter) => day >= range.from && day <= range.to;
  const readAccess = () => table.read({ Key: accountKeys.access(userId) });
  const inAccess = (access: Item | undefined): Counted =>
    countersIn(access ?? {}, readUsageCounter).filter(([counter]) => isRequested(counter));
  const readMonth = async (month: string): Promise<Counted> => {
    const items = await table.query({
      partition: limitKeys.usageOfMonth(month),
      between: [
        limitKeys.usage(dateOfDay(range.from), userId).SK,
        limitKeys.usage(dateOfDay(range.to), userId).SK,
      ],
    });
    return items.flatMap((item) => {
      const day = dayOfItem(dayItem.parse(item));
      return countersIn(item, (attribute) => readDayCounter(day, attribute));
    });
  };
  const pendingMoves = (counted: Counted): string =>
    JSON.stringify(counted.filter(([{ day }]) => day < today).map(([counter]) => counter));

  let access = await readAccess();
  for (let reads = 1; ; reads += 1) {
    const counted = inAccess(access);
    const moved = (await Promise.all(monthsOf(range).map(readMonth))).flat();
    const waiting = pendingMoves(counted);
    if (waiting === "[]" || reads === maxReads) return { access, rows: rowsOf([...moved, ...counted]) };
    const later = await readAccess();
    if (pendingMoves(inAccess(later)) === waiting) return { access, rows: rowsOf([...moved, ...counted]) };
    access = later;
  }
};

/** The repository of usage over the service's table; reads A5 of `shared/accounts/README.md` and C9 of `shared/accounts/limits`. */
export const createUsageRepository = (table: Table, unverifiedQuotaShare: number): UsageRepository => {
  const policyOf = accountPoliciesWith(unverifiedQuotaShare);
  return {
    find: async (userId, range, now) => {
      const { day, month } = windowsAt(now);
      const { access: item, rows } = await readUsage(table, userId, range, day);
      if (!item) return undefined;
      const access = accountAccess.parse(item);
      const counters = numbersOf(item);
      return {
        accountType: access.account_type,
        policy: policyOf(access),
        today: counters.get(accountCounters.day(day)) ?? 0,
        month: counters.get(accountCounters.month(month)) ?? 0,
        audioMilliseconds: counters.get(accountCounters.audio(month)) ?? 0,
        rows,
      };
    },
  };
};

/** The accounts of which something was counted in a month, such as `2026-11`. */
export const accountsInMonth = async (table: Table, month: string): Promise<number[]> => {
  const items = await table.query({ partition: limitKeys.usageOfMonth(month), attributes: ["SK"] });
  const accounts = new Set(items.map((item) => Number.parseInt(dayItem.parse(item).SK, 10)));
  return Array.from(accounts).toSorted((one, other) => one - other);
};
