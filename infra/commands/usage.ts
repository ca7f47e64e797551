/** `npm run usage`: the operator's command for bills. */
import { parseArgs } from "node:util";
import pLimit from "p-limit";
import { dateOfDay, windowsAt } from "../../shared/accounts/limits/windows.ts";
import { toUsedOperation, usageCsv, withVendorsNames } from "../../shared/accounts/usage/find-usage.ts";
import { accountsInMonth, readUsage } from "../../shared/accounts/usage/read-usage.ts";
import { rangeOfMonth } from "../../shared/accounts/usage/stage-usage.ts";
import taskPaths from "../../shared/accounts/usage/task-paths.json" with { type: "json" };
import { defaultVendors } from "../../shared/platform/config/vendors.ts";
import { runCommandLine, UsageError } from "../command-line.ts";
import { withLocalTable } from "../local/local-table.ts";
import { openTable } from "../sdk-table.ts";

const usage = `Usage: npm run -s usage -- --month 2026-11 [--format csv|json] [--table <name>]

Prints the usage of every account in a month for bills, by day, operation and key. It names accounts, including deleted ones,
by their numbers: "npm run account -- <username> --show" prints the number of a username. The last seconds of a month in
progress may be missing. In a stage with its own provider names, set LEGACY_VENDOR_A and LEGACY_VENDOR_B to them.

Without --table it works on the local service's data; with --table on a deployed table, with your AWS credentials.`;

const formats = ["csv", "json"] as const;

const readArguments = (args: string[]) => {
  const { values } = parseArgs({
    args,
    options: { month: { type: "string" }, format: { type: "string" }, table: { type: "string" } },
  });
  const { month = "", format: requested = "csv", table } = values;
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) throw new UsageError("Name the month, such as 2026-11.");
  const format = formats.find((known) => known === requested);
  if (!format) throw new UsageError(`There is no format ${requested}; there are ${formats.join(", ")}.`);
  return { month, format, table };
};

const paths = withVendorsNames(taskPaths, {
  a: process.env["LEGACY_VENDOR_A"] ?? defaultVendors.a,
  b: process.env["LEGACY_VENDOR_B"] ?? defaultVendors.b,
});

/** How many accounts are read at a time. */
const atOnce = 16;

const report = async (tableName: string, month: string) => {
  const table = openTable(tableName);
  const range = rangeOfMonth(month);
  const { day: today } = windowsAt(Date.now());
  const accounts = await pLimit(atOnce).map(await accountsInMonth(table, month), async (account) => {
    const { rows } = await readUsage(table, account, range, today);
    return rows.map((row) => ({
      date: dateOfDay(row.day),
      account,
      used: toUsedOperation(row, paths),
    }));
  });
  return accounts.flat();
};

await runCommandLine(usage, async (args) => {
  const { month, format, table } = readArguments(args);
  const work = (tableName: string) => report(tableName, month);
  const rows = await (table ? work(table) : withLocalTable(work));
  const shown =
    format === "csv"
      ? usageCsv(
          ["date", "account"],
          rows.map(({ date, account, used }) => ({ before: [date, account], used })),
        )
      : `${JSON.stringify(
          rows.map(({ used, ...row }) => ({ ...row, ...used })),
          undefined,
          2,
        )}\n`;
  process.stdout.write(shown);
});
