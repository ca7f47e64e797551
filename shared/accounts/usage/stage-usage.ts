import pLimit from "p-limit";
import * as z from "zod";
import type { Table } from "../../platform/storage/table.ts";
import { limitKeys } from "../limits/keys.ts";
import { dayOfDate, windowsAt } from "../limits/windows.ts";
import { type DayRange, readUsage, type UsedRow } from "./read-usage.ts";

/** How many accounts are read at a time. */
const atOnce = 16;

/** The items of this many accounts in a month of 31 days are read in one step. */
const daysInMonth = 31;

const listedItem = z.object({ SK: z.string() });

/** The usage of an account. */
export interface UsageOfAccount {
  readonly account: number;
  readonly rows: readonly UsedRow[];
}

/** The usage of some accounts in a month. */
export interface StageUsage {
  readonly accounts: readonly UsageOfAccount[];
  /** Where the next accounts start; `undefined` when there are no more. */
  readonly next: number | undefined;
}

/** Returns the days of a month, such as `2026-11`. */
export const rangeOfMonth = (month: string): DayRange => {
  const { ends } = windowsAt(Date.parse(`${month}-01`));
  return { from: dayOfDate(`${month}-01`), to: windowsAt(ends.month).day - 1 };
};

/** Returns accounts with usage in a month, in the order of their items. */
const accountsAfter = async (
  table: Pick<Table, "query">,
  month: string,
  after: number | undefined,
  limit: number,
): Promise<number[]> => {
  const items = await table.query({
    partition: limitKeys.usageOfMonth(month),
    attributes: ["SK"],
    limit: limit * daysInMonth,
    // After all days of that account: `~` comes after digits.
    after: after === undefined ? undefined : { PK: limitKeys.usageOfMonth(month), SK: `${after}#~` },
  });
  const accounts = new Set(items.map((item) => Number.parseInt(listedItem.parse(item).SK, 10)));
  return [...accounts].slice(0, limit);
};

/**
 * Returns the usage of some accounts in a month, today included. All of it is read as for one account, so it is exact also for
 * counters that are not moved to the items of their days yet.
 *
 * @param after the last account of the part before.
 * @param limit how many accounts.
 */
export const readStageUsage = async (
  table: Table,
  month: string,
  after: number | undefined,
  limit: number,
): Promise<StageUsage> => {
  const found = await accountsAfter(table, month, after, limit + 1);
  const accounts = found.slice(0, limit);
  const { day: today } = windowsAt(Date.now());
  const range = rangeOfMonth(month);
  return {
    accounts: await pLimit(atOnce).map(accounts, async (account) => ({
      account,
      rows: (await readUsage(table, account, range, today)).rows,
    })),
    next: found.length > limit ? accounts.at(-1) : undefined,
  };
};
