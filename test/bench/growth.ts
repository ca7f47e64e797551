/**
 * `npm run bench -- growth`: whether costs grow as they should when work grows: bodies, streams, readers, uploads, keys, days of usage, jobs
 * and accounts. Exits with 1 when a line exceeds its bound.
 *
 * `--only stream,jobs` measures some; `--once` only sees whether it works. An exponent is the slope of the line through the logarithms of
 * cost and size: 1 when the cost doubles with the size.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../../infra/command-line.ts";
import { findRunningService } from "../../infra/local/running-service.ts";
import { runService } from "../support/run-service.ts";
import { chooseCores, serveChat } from "./compare/gateways.ts";
import { note } from "./compare/note.ts";
import { failedRows, type Row, writeTable } from "./compare/verdict.ts";
import { chatRows, measureChatRow } from "./growth/chat-rows.ts";
import { openCountedTable } from "./growth/counted-table.ts";
import { fullPlan, oncePlan } from "./growth/plan.ts";
import { measureTableRow, tableRows } from "./growth/table-rows.ts";
import { uploadRow } from "./growth/upload-row.ts";
import { startProcess, stopProcess } from "./processes.ts";
import { findOthers } from "./quiet-machine.ts";

const namesIn = <Name extends string>(rows: Readonly<Record<Name, unknown>>): Name[] =>
  (Object.keys(rows) as Name[]).filter((name) => isChosen(name));

const usage = `Usage: npm run bench -- growth [--only body,stream,readers,keys,upload,usage,jobs,accounts] [--once] [--markdown]

Measures whether costs grow as they should when work grows, in at most ten minutes. --once only sees whether it works, and judges no
bound. --markdown prints the table for infra/handbook/measurements.md.`;

const options = readOptions(usage, {
  only: { type: "string" },
  once: { type: "boolean", default: false },
  markdown: { type: "boolean", default: false },
});
const plan = options.once ? oncePlan : fullPlan;
const chosen = options.only?.split(",");
const isChosen = (name: string): boolean => chosen?.includes(name) ?? true;

const measureChat = async (): Promise<Row[]> => {
  const names = namesIn(chatRows);
  if (names.length === 0) return [];
  const cores = chooseCores();
  const served = await serveChat(cores);
  const load = await startProcess("compare/load-process.ts", { core: cores.load });
  try {
    const rows: Row[] = [];
    for (const name of names) rows.push(...(await measureChatRow(name, { served, load, plan })));
    return rows;
  } finally {
    await stopProcess(load);
    await served.close();
  }
};

const measureTable = async (folder: string): Promise<Row[]> => {
  const names = namesIn(tableRows);
  if (names.length === 0) return [];
  const service = await runService({ PORT: "0", DATA_DIR: folder });
  try {
    const running = await findRunningService(folder);
    const endpoint = running?.sdkVariables["AWS_ENDPOINT_URL_DYNAMODB"];
    if (!running || !endpoint) throw new Error("The local service does not say where its table is.");
    const { tableName } = running;
    const counted = await openCountedTable({ endpoint, name: tableName });
    const rows: Row[] = [];
    for (const name of names) rows.push(...(await measureTableRow(name, { counted, tableName, plan })));
    counted.close();
    return rows;
  } finally {
    await service.stop();
  }
};

const others = options.once ? undefined : await findOthers();
if (others) note(others);
const folder = await mkdtemp(join(tmpdir(), "language-ai-growth-"));
try {
  const rows = [
    ...(await measureChat()),
    ...(isChosen("upload") ? await uploadRow(plan, folder) : []),
    ...(await measureTable(join(folder, "data"))),
  ];
  process.stdout.write(`${writeTable(rows, !options.markdown, ["as work grows", "measured"])}\n`);
  if (others) process.stdout.write(`\n${others}\n`);
  const failed = options.once ? [] : failedRows(rows);
  for (const { what } of failed) note(`Beyond its bound: ${what}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
