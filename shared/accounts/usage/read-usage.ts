import * as z from "zod";
import { compareText } from "../../platform/compare-text.ts";
import type { Item, Table } from "../../platform/storage/table.ts";
import { type AccountType, accountAccess } from "../access/account-access.ts";
import { accountKeys } from "../access/keys.ts";
import { accountCounters, limitKeys } from "../limits/keys.ts";
import { numbersOf } from "../limits/limit-counters.ts";
import { type AccountPolicy, accountPoliciesWith, defaultCharacterQuotas } from "../limits/policies.ts";
import {
  readDayCounter,
  readUsageCounter,
  type UsageCounter,
  type UsageRow,
  type UsageUnit,
  usageUnits,
} from "../limits/usage-counters.ts";
import { dateOfDay, dayOfDate, windowsAt } from "../limits/windows.ts";

/** Days since 1970, both included. */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** The usage of one operation on one day with one key, or with tokens. */
export type UsedRow = UsageRow & Readonly<Record<UsageUnit, number>>;

/** The usage and the limits of an account. */
export interface AccountUsage {
  readonly accountType: AccountType;
  readonly policy: AccountPolicy;
  /** Tasks counted on the quota of today, and of this month. */
  readonly today: number;
  readonly month: number;
  /** Recordings that jobs of this month transcribe. */
  readonly audioMilliseconds: number;
  /** Characters of lists, documents and recordings that were translated this month. */
  readonly characters: number;
  /** The requested days, oldest first. */
  readonly rows: readonly UsedRow[];
}

/** The usage of accounts. */
export interface UsageRepository {
  /** @param now milliseconds of Unix time. @returns `undefined` when there is no such account. */
  find(userId: number, range: DayRange, now: number): Promise<AccountUsage | undefined>;
}

type Counted = readonly (readonly [UsageCounter, number])[];

const noUsage = {
  requests: 0,
  errors: 0,
  characters: 0,
  promptTokens: 0,
  completionTokens: 0,
  audioMilliseconds: 0,
} satisfies Record<UsageUnit, number>;

const countersIn = (item: Item, read: (attribute: string) => UsageCounter | undefined): Counted =>
  Array.from(numbersOf(item)).flatMap(([attribute, amount]) => {
    const counter = read(attribute);
    return counter ? [[counter, amount] as const] : [];
  });

/** By day, operation and key: DynamoDB returns attributes in no order. */
const inOrder = (one: UsageRow, other: UsageRow): number =>
  one.day - other.day ||
  compareText(one.operationId, other.operationId) ||
  compareText(one.keyId ?? "", other.keyId ?? "");

/** Sums the counters of several items; rows that were refunded entirely are left out. */
const rowsOf = (counted: Counted): UsedRow[] => {
  const rows = new Map<string, UsageRow & Record<UsageUnit, number>>();
  for (const [{ day, operationId, keyId, unit }, amount] of counted) {
    const name = `${day} ${operationId} ${keyId ?? ""}`;
    const row = rows.get(name) ?? { day, operationId, keyId, ...noUsage };
    row[unit] += amount;
    rows.set(name, row);
  }
  return Array.from(rows.values())
    .filter((row) => usageUnits.some((unit) => row[unit] > 0))
    .toSorted(inOrder);
};

const dayItem = z.looseObject({ SK: z.string() });

/** Returns the day of an item with a sort key such as `7#2026-11-20`. */
const dayOfItem = ({ SK }: z.infer<typeof dayItem>): number => dayOfDate(SK.slice(SK.indexOf("#") + 1));

/** Returns the months of a range of days, such as `2026-11`. */
const monthsOf = ({ from, to }: DayRange): string[] => {
  const days = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return [...new Set(days.map((day) => dateOfDay(day).slice(0, 7)))];
};

/** Another request may move counters during a read, once a day. */
const maxReads = 5;

/** Counts the usage in the items of a month's days. */
const readMonth = async (
  table: Pick<Table, "query">,
  userId: number,
  { from, to }: DayRange,
  month: string,
): Promise<Counted> => {
  const keyOf = (day: number): string => limitKeys.usage(dateOfDay(day), userId).SK;
  const items = await table.query({
    partition: limitKeys.usageOfMonth(month),
    between: [keyOf(from), keyOf(to)],
  });
  return items.flatMap((item) => {
    const day = dayOfItem(dayItem.parse(item));
    return countersIn(item, (attribute) => readDayCounter(day, attribute));
  });
};

/**
 * Returns the usage of an account together with its access item.
 *
 * Counters of past days move from the access item to items of their own at any time. So when the access item has such
 * counters, it is read again after the other items: if they are still there, nothing was moved in between.
 *
 * @param today the present day, counted from 1970.
 */
export const readUsage = async (
  table: Pick<Table, "query" | "read">,
  userId: number,
  range: DayRange,
  today: number,
): Promise<{ readonly access: Item | undefined; readonly rows: readonly UsedRow[] }> => {
  const isRequested = ({ day }: UsageCounter) => day >= range.from && day <= range.to;
  const readAccess = () => table.read({ Key: accountKeys.access(userId) });
  const inAccess = (access: Item | undefined): Counted =>
    countersIn(access ?? {}, readUsageCounter).filter(([counter]) => isRequested(counter));
  const pendingMoves = (counted: Counted): string =>
    JSON.stringify(counted.filter(([{ day }]) => day < today).map(([counter]) => counter));

  let access = await readAccess();
  for (let reads = 1; ; reads += 1) {
    const counted = inAccess(access);
    const moved = (
      await Promise.all(monthsOf(range).map((month) => readMonth(table, userId, range, month)))
    ).flat();
    const waiting = pendingMoves(counted);
    if (waiting === "[]" || reads === maxReads) return { access, rows: rowsOf([...moved, ...counted]) };
    const later = await readAccess();
    if (pendingMoves(inAccess(later)) === waiting) return { access, rows: rowsOf([...moved, ...counted]) };
    access = later;
  }
};

/** The usage in the service's table; reads A5 of `shared/accounts/README.md` and C9 of `shared/accounts/limits`. */
export const createUsageRepository = (
  table: Table,
  unverifiedQuotaShare: number,
  multiplier = 1,
  characterQuotas = defaultCharacterQuotas,
): UsageRepository => {
  const policyOf = accountPoliciesWith(unverifiedQuotaShare, multiplier, characterQuotas);
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
        characters: counters.get(accountCounters.characters(month)) ?? 0,
        rows,
      };
    },
  };
};

/** Returns the accounts with usage in a month, such as `2026-11`. */
export const accountsInMonth = async (table: Table, month: string): Promise<number[]> => {
  const items = await table.query({ partition: limitKeys.usageOfMonth(month), attributes: ["SK"] });
  const accounts = new Set(items.map((item) => Number.parseInt(dayItem.parse(item).SK, 10)));
  return Array.from(accounts).toSorted((one, other) => one - other);
};
