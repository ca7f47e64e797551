import { usageLifetimeDays } from "../../shared/accounts/limits/usage-items.ts";
import { dateOfDay, dayOfDate, windowsAt } from "../../shared/accounts/limits/windows.ts";
import {
  toUsedOperation,
  usageCsvHeader,
  usageCsvRows,
  withVendorsNames,
} from "../../shared/accounts/usage/find-usage.ts";
import { readUsage } from "../../shared/accounts/usage/read-usage.ts";
import taskPaths from "../../shared/accounts/usage/task-paths.json" with { type: "json" };
import type { Vendors } from "../../shared/platform/config/vendors.ts";
import type { DataOwner } from "../../shared/platform/storage/stored-kinds.ts";
import type { Table } from "../../shared/platform/storage/table.ts";

/** The days of usage that are in memory together: those of an account with many keys are many rows. */
const daysAtOnce = 31;

/** Returns all stored usage of an account as pieces of CSV, by day, operation and key. */
export async function* exportUsage(
  { id, created_at: createdAt }: DataOwner,
  table: Pick<Table, "query" | "read">,
  vendors: Vendors,
): AsyncIterable<string> {
  const paths = withVendorsNames(taskPaths, vendors);
  const { day: today } = windowsAt(Date.now());
  const first = Math.max(dayOfDate(createdAt.slice(0, 10)), today - usageLifetimeDays);
  yield usageCsvHeader(["date"]);
  for (let from = first; from <= today; from += daysAtOnce) {
    const range = { from, to: Math.min(from + daysAtOnce - 1, today) };
    const { rows } = await readUsage(table, id, range, today);
    yield usageCsvRows(
      rows.map((row) => ({ before: [dateOfDay(row.day)], used: toUsedOperation(row, paths) })),
    );
  }
}
