/** `npm run affected`: the accounts to notify after a breach. */
import { parseArgs } from "node:util";
import pLimit from "p-limit";
import { dateOfDay, dayOfDate, windowsAt } from "../../shared/accounts/limits/windows.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { accountsInMonth, readUsage } from "../../shared/accounts/usage/read-usage.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { runCommandLine, UsageError } from "../command-line.ts";
import { withLocalTable } from "../local/local-table.ts";
import { openTable } from "../sdk-table.ts";

const usage = `Usage: npm run -s affected -- --from 2026-11-20 --to 2026-11-22 [--format csv|json] [--table <name>]

Prints the accounts that sent requests on these days (in UTC, both included), for the notice after a breach: number, username, email
address, first and last day, and number of requests. A deleted account has its number only. Requests of free pages and logins are not
counted; the access log has those.

Without --table it works on the local service's data; with --table on a deployed table, with your AWS credentials.`;

const formats = ["csv", "json"] as const;
const datePattern = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

const readDay = (name: string, date: string | undefined): number => {
  if (date === undefined || !datePattern.test(date) || Number.isNaN(Date.parse(date))) {
    throw new UsageError(`Name the ${name} day with --${name}, such as 2026-11-20.`);
  }
  return dayOfDate(date);
};

const readArguments = (args: string[]) => {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ args, options: { from: text, to: text, format: text, table: text } });
  const { format: requested = "csv", table } = values;
  const format = formats.find((known) => known === requested);
  if (!format) throw new UsageError(`There is no format ${requested}; there are ${formats.join(", ")}.`);
  const range = { from: readDay("from", values.from), to: readDay("to", values.to) };
  if (range.from > range.to) throw new UsageError("The first day is after the last.");
  return { range, format, table };
};

/** How many accounts are read at a time. */
const atOnce = 16;

interface AffectedAccount {
  readonly account: number;
  readonly username: string | null;
  readonly email: string | null;
  readonly first_day: string;
  readonly last_day: string;
  readonly requests: number;
}

type Range = ReturnType<typeof readArguments>["range"];

const monthsOf = ({ from, to }: Range): string[] => {
  const days = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return [...new Set(days.map((day) => dateOfDay(day).slice(0, 7)))];
};

const readAccount = async (
  table: Table,
  account: number,
  range: Range,
): Promise<AffectedAccount | undefined> => {
  const { rows } = await readUsage(table, account, range, windowsAt(Date.now()).day);
  const days = rows.map(({ day }) => day).toSorted((one, other) => one - other);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const found = await createAccountsRepository(table).find({ id: account });
  return {
    account,
    username: found?.username ?? null,
    email: found?.email ?? null,
    first_day: dateOfDay(first),
    last_day: dateOfDay(last),
    requests: rows.reduce((sum, { requests, errors }) => sum + Math.max(requests, errors), 0),
  };
};

const findAffected = async (tableName: string, range: Range): Promise<AffectedAccount[]> => {
  const table = openTable(tableName);
  const months = await Promise.all(monthsOf(range).map((month) => accountsInMonth(table, month)));
  const accounts = [...new Set(months.flat())].toSorted((one, other) => one - other);
  const read = await pLimit(atOnce).map(accounts, (account) => readAccount(table, account, range));
  return read.filter((account) => account !== undefined);
};

const columns = ["account", "username", "email", "first_day", "last_day", "requests"] as const;

/** A cell of CSV (RFC 4180). Addresses may have quotes and commas, and spreadsheets run what begins like a formula. */
const cell = (value: string | number | null): string => {
  const text = String(value ?? "");
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const csv = (accounts: readonly AffectedAccount[]): string =>
  [columns.join(","), ...accounts.map((account) => columns.map((name) => cell(account[name])).join(","))]
    .map((line) => `${line}\r\n`)
    .join("");

await runCommandLine(usage, async (args) => {
  const { range, format, table } = readArguments(args);
  const work = (tableName: string) => findAffected(tableName, range);
  const accounts = await (table ? work(table) : withLocalTable(work));
  process.stdout.write(format === "csv" ? csv(accounts) : `${JSON.stringify(accounts, undefined, 2)}\n`);
});
