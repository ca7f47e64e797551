import { compareText } from "../../platform/compare-text.ts";
import { inVendorsNames, type Vendors } from "../../platform/config/vendors.ts";
import { AppError, invalidField } from "../../platform/errors/app-error.ts";
import { dateOf, dateOfDay, dayOfDate, windowsAt } from "../limits/windows.ts";
import type { DayRange, UsageRepository, UsedRow } from "./read-usage.ts";
import {
  maxUsageDays,
  shownUsageDays,
  type Usage,
  type UsageQuery,
  type UsedOperation,
  usedOperation,
} from "./usage.ts";

/** The public address of an operation. */
export interface TaskPath {
  readonly method: string;
  readonly path: string;
  /** Whether it is going to be removed. */
  readonly deprecated?: boolean;
}

/** The addresses of the operations that accounts call, by their ids. */
export type TaskPaths = Readonly<Record<string, TaskPath>>;

/** What reading usage needs. */
export interface UsageDependencies {
  readonly usage: UsageRepository;
  readonly taskPaths: TaskPaths;
}

/** Returns the paths with a stage's own names of the providers. */
export const withVendorsNames = (paths: TaskPaths, vendors: Vendors): TaskPaths =>
  Object.fromEntries(
    Object.entries(paths).map(([id, { path, ...others }]) => [
      id,
      { ...others, path: inVendorsNames(path, vendors) },
    ]),
  );

/** @throws ValidationError when the first day is after the last, or there are too many. */
const rangeOf = ({ from, to }: Pick<UsageQuery, "from" | "to">, today: number): DayRange => {
  const last = to === undefined ? today : dayOfDate(to);
  const first = from === undefined ? last - (shownUsageDays - 1) : dayOfDate(from);
  if (first > last) throw invalidField(["query", "from"], "the first day is after the last");
  if (last - first >= maxUsageDays) {
    throw invalidField(["query", "to"], `at most ${maxUsageDays} days can be requested at once`);
  }
  return { from: first, to: last };
};

/** Formats a row of usage. An operation that no longer exists keeps its id as its path. */
export const toUsedOperation = (row: UsedRow, paths: TaskPaths): UsedOperation => {
  const { method, path } = paths[row.operationId] ?? { method: null, path: row.operationId };
  return {
    method,
    path,
    key: row.keyId ?? null,
    requests: row.requests,
    errors: row.errors,
    characters: row.characters,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    tokens: row.promptTokens + row.completionTokens,
    audio_seconds: row.audioMilliseconds / 1_000,
  };
};

const columns = usedOperation.keyof().options;

/** A line of CSV (RFC 4180). Dates, numbers, methods, paths and ids need no quotes. */
const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.join(",")}\r\n`;

/** A row of usage as CSV, with what its first cells contain, such as its account. */
interface CsvRow {
  readonly before: readonly (string | number)[];
  readonly used: UsedOperation;
}

/** Formats the header of usage as CSV. @param before the header of the first cells of each row. */
export const usageCsvHeader = (before: readonly string[]): string => csvLine([...before, ...columns]);

/** Formats rows of usage as CSV. */
export const usageCsvRows = (rows: readonly CsvRow[]): string =>
  rows.map(({ before, used }) => csvLine([...before, ...columns.map((column) => used[column])])).join("");

/** Formats usage as CSV with a header. @param before the header of the first cells of each row. */
export const usageCsv = (before: readonly string[], rows: readonly CsvRow[]): string =>
  usageCsvHeader(before) + usageCsvRows(rows);

const inOrder = (one: UsedOperation, other: UsedOperation): number =>
  compareText(one.path, other.path) || compareText(one.key ?? "", other.key ?? "");

const operationsOn = (day: number, rows: readonly UsedRow[], paths: TaskPaths): UsedOperation[] =>
  rows
    .filter((row) => row.day === day)
    .map((row) => toUsedOperation(row, paths))
    .toSorted(inOrder);

const requestsByOperation = (day: number, rows: readonly UsedRow[]): Record<string, number> => {
  const requests: Record<string, number> = {};
  for (const row of rows) {
    if (row.day !== day || row.requests <= 0) continue;
    requests[row.operationId] = (requests[row.operationId] ?? 0) + row.requests;
  }
  return requests;
};

const quota = (used: number, limit: number | undefined, end: number) => ({
  used,
  limit: limit ?? null,
  remaining: limit === undefined ? null : Math.max(0, limit - used),
  resets_at: new Date(end).toISOString(),
});

/**
 * Returns the usage of an account: today, this month, and on each requested day.
 *
 * @throws AppError `unauthenticated` when the account is gone; ValidationError for an invalid range.
 */
export const findUsage = async (
  userId: number,
  query: Pick<UsageQuery, "from" | "to">,
  { usage, taskPaths }: UsageDependencies,
  now: number = Date.now(),
): Promise<Usage> => {
  const { day: today, month, ends } = windowsAt(now);
  const range = rangeOf(query, today);
  const found = await usage.find(userId, range, now);
  if (!found) throw new AppError("unauthenticated");
  const { rows } = found;
  const days = Array.from({ length: range.to - range.from + 1 }, (_, index) => {
    const day = range.from + index;
    const byOperation = requestsByOperation(day, rows);
    return {
      date: dateOfDay(day),
      total: Object.values(byOperation).reduce((sum, requests) => sum + requests, 0),
      by_operation: byOperation,
      operations: operationsOn(day, rows, taskPaths),
    };
  });
  const { perMinute, perDay, perMonth, audioSecondsPerMonth, charactersPerMonth, onceVerified } =
    found.policy;
  return {
    account_type: found.accountType,
    per_minute_limit: perMinute,
    today: { date: dateOf(now), ...quota(found.today, perDay, ends.day) },
    this_month: { month, ...quota(found.month, perMonth, ends.month) },
    recordings_this_month: quota(found.audioMilliseconds / 1_000, audioSecondsPerMonth, ends.month),
    characters_this_month: quota(found.characters, charactersPerMonth, ends.month),
    once_verified: onceVerified ? { per_day: onceVerified.perDay, per_month: onceVerified.perMonth } : null,
    from: dateOfDay(range.from),
    to: dateOfDay(range.to),
    days,
  };
};

/** Formats the days of usage as a CSV file. */
export const usageTable = ({ from, to, days }: Usage): { readonly name: string; readonly csv: string } => ({
  name: `usage-${from}-${to}.csv`,
  csv: usageCsv(
    ["date"],
    days.flatMap(({ date, operations }) => operations.map((used) => ({ before: [date], used }))),
  ),
});
