import pLimit from "p-limit";
import { dateOfDay, dayOfDate, windowsAt } from "../../shared/accounts/limits/windows.ts";
import type { MailQueue } from "../../shared/accounts/mail/mail-queue.ts";
import { noticeKeys } from "../../shared/accounts/notices/keys.ts";
import type { TaskPaths } from "../../shared/accounts/usage/find-usage.ts";
import { accountsInMonth, readUsage, type UsedRow } from "../../shared/accounts/usage/read-usage.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import { isNew, type Table } from "../../shared/platform/storage/table.ts";

export interface SunsetDependencies {
  readonly table: Table;
  readonly mailQueue: MailQueue;
  readonly taskPaths: TaskPaths;
  /** The day from which the routes may stop working, such as `2027-12-01`. */
  readonly sunset: string;
}

/** How many days before the end accounts get a mail, the later one first. */
const noticeDays = [14, 90] as const;

/** A call in this time shows that an account still needs the routes. */
const usedDays = 30;

/** Notices are stored until no clock can send them again. */
const retainedDays = 30;

/** How many accounts are read at a time. */
const atOnce = 16;

/** Which of the mails is due, by its number of days; `undefined` when none is. */
export const noticeDue = (sunset: string, today: number): (typeof noticeDays)[number] | undefined => {
  const daysLeft = dayOfDate(sunset) - today;
  return daysLeft > 0 ? noticeDays.find((days) => daysLeft <= days) : undefined;
};

/** The deprecated routes in some usage, such as `POST /tasks/stt`. */
const deprecatedRoutes = (rows: readonly UsedRow[], taskPaths: TaskPaths): string[] => {
  const routes = rows.flatMap(({ operationId, requests, errors }) => {
    const found = taskPaths[operationId];
    return found?.deprecated && requests + errors > 0 ? [`${found.method} ${found.path}`] : [];
  });
  return [...new Set(routes)].toSorted();
};

/** Mails one account, if it still calls such routes and has not got this mail. @returns whether it was mailed. */
const notify = async (
  userId: number,
  daysBefore: number,
  today: number,
  { table, mailQueue, taskPaths, sunset }: SunsetDependencies,
): Promise<boolean> => {
  const key = noticeKeys.routesEnd(userId, sunset, daysBefore);
  if (await table.read({ Key: key })) return false;
  const range = { from: today - (usedDays - 1), to: today };
  const { access, rows } = await readUsage(table, userId, range, today);
  const routes = deprecatedRoutes(rows, taskPaths);
  if (!access || access["disabled"] === true || routes.length === 0) return false;
  const expires_at = (dayOfDate(sunset) + retainedDays) * daySeconds;
  const { applied } = await table.putIf({ ...key, expires_at }, isNew);
  if (!applied) return false;
  try {
    await mailQueue.send({ kind: "routes-end", userId, sunset, routes });
  } catch (error) {
    await table.delete(key);
    throw error;
  }
  return true;
};

/** The accounts with usage in the last days: the items of bills name them, so nothing else is read to find them. */
const activeAccounts = async (table: Table, today: number): Promise<number[]> => {
  const months = new Set([today, today - (usedDays - 1)].map((day) => dateOfDay(day).slice(0, 7)));
  const lists = await Promise.all([...months].map((month) => accountsInMonth(table, month)));
  return [...new Set(lists.flat())];
};

/**
 * Mails the accounts that have called deprecated routes lately, once in the 90 days before these end and once more in the last 14.
 * Outside of these days it reads nothing.
 *
 * @param signal ends the run; the next one, a day later, continues.
 * @returns how many accounts were mailed.
 * @throws AggregateError with the failures, after all other accounts; the next run repeats them.
 */
export const notifyAccounts = async (
  dependencies: SunsetDependencies,
  signal: AbortSignal,
  now = Date.now(),
): Promise<number> => {
  const { day: today } = windowsAt(now);
  const daysBefore = noticeDue(dependencies.sunset, today);
  if (daysBefore === undefined) return 0;
  const accounts = await activeAccounts(dependencies.table, today);
  const limit = pLimit(atOnce);
  const outcomes = await Promise.allSettled(
    accounts.map((userId) => limit(() => !signal.aborted && notify(userId, daysBefore, today, dependencies))),
  );
  const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, "Accounts could not be mailed.");
  return outcomes.filter((outcome) => outcome.status === "fulfilled" && outcome.value).length;
};
