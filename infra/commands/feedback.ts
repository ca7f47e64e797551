/** `npm run feedback`: the operator's list of translations that people called wrong and let us store. */
import { parseArgs } from "node:util";
import { readTranslationFeedback } from "../../shared/messaging/translation-feedback.ts";
import { runCommandLine, UsageError } from "../command-line.ts";
import { withLocalTable } from "../local/local-table.ts";
import { openTable } from "../sdk-table.ts";

const usage = `Usage: npm run -s feedback -- --month 2026-11 [--table <name>]

Prints the translations of a month that people of the messaging assistant called wrong, and let us store: a JSON object a line, with
source, translation, languages (ISO 639-3) and, if the person knew it, the right translation. It names no one.

Without --table it works on the local service's data; with --table on a deployed table, with your AWS credentials.`;

const readArguments = (args: string[]) => {
  const { values } = parseArgs({ args, options: { month: { type: "string" }, table: { type: "string" } } });
  const { month = "", table } = values;
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) throw new UsageError("Name the month, such as 2026-11.");
  return { month, table };
};

await runCommandLine(usage, async (args) => {
  const { month, table } = readArguments(args);
  const work = (tableName: string) => readTranslationFeedback(openTable(tableName), month);
  const found = await (table ? work(table) : withLocalTable(work));
  for (const each of found) process.stdout.write(`${JSON.stringify(each)}\n`);
});
