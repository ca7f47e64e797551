/**
 * `npm run bench`: what a chat request costs, compared with other gateways in the same run. Exits with 1 when a figure
 * exceeds its bound.
 *
 * `--quick` measures a third as long; `--once` only sees whether it works; `--all` adds LiteLLM's proxy, which needs Python and takes longer; `--markdown`
 * prints the table for `infra/handbook/measurements.md`. `--against <folder>` compares the function with its bundle of another build
 * instead, such as `../before/.build/functions`, and fails when a request or a token costs 3% more CPU than there; `--without-own-protocol` compares it with itself over `node:http`, and fails when
 * the exchange over our own sockets saves too little.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readOptions } from "../../infra/command-line.ts";
import { compareBuilds } from "./compare/compare-builds.ts";
import { type ComparisonSetup, compareGateways } from "./compare/compare-gateways.ts";
import { compareProtocols } from "./compare/compare-protocols.ts";
import { chooseCores, serveChat } from "./compare/gateways.ts";
import { processCpu } from "./compare/kernel.ts";
import { note } from "./compare/note.ts";
import { fullPlan, oncePlan, quickPlan } from "./compare/plan.ts";
import { type Comparison, failedRows, writeTable } from "./compare/verdict.ts";
import { startProcess, stopProcess } from "./processes.ts";
import { findOthers } from "./quiet-machine.ts";

const usage = `Usage: npm run bench [-- --quick | --once] [--all] [--markdown]
       npm run bench -- --against FOLDER | --without-own-protocol
       npm run bench -- chat | cold | documents | growth | jobs | local | pages | profile | speech

Compares the cost of a chat request with other gateways, or with another build of the functions. --quick measures a third as long;
--once only sees whether it works, and judges no speed. --all adds LiteLLM's proxy, --markdown prints a table.`;

const options = readOptions(usage, {
  quick: { type: "boolean", default: false },
  once: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  markdown: { type: "boolean", default: false },
  against: { type: "string" },
  "without-own-protocol": { type: "boolean", default: false },
});

/** What a change of the code may cost of the CPU of a request, and of a token of a stream. */
const maxCostPercent = 3;

const plan = options.once ? oncePlan : options.quick ? quickPlan : fullPlan;
const cores = chooseCores();
if (cores.gateway === undefined) {
  note("Gateways and load share their cores: there is no taskset, or only one core.");
}
if (processCpu(process.pid) === undefined) {
  note("This system has no /proc: CPU and memory cannot be measured, and their bounds are not judged.");
}

const compare = async (setup: ComparisonSetup): Promise<Comparison> => {
  const folder = await mkdtemp(join(tmpdir(), "language-ai-builds-"));
  try {
    if (options["without-own-protocol"]) return await compareProtocols(setup, folder);
    if (options.against === undefined) return await compareGateways({ ...setup, withAll: options.all });
    const other = {
      names: ["this build", "the other"],
      folder: resolve(options.against),
      minSavedPercent: -maxCostPercent,
      minSavedPercentOfToken: -maxCostPercent,
    } as const;
    return await compareBuilds(setup, other, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const others = options.once ? undefined : await findOthers();
if (others) note(others);
const served = await serveChat(cores);
const load = await startProcess("compare/load-process.ts", { core: cores.load });
try {
  const { rows, heads } = await compare({ served, load, cores, plan });
  process.stdout.write(`${writeTable(rows, !options.markdown, heads)}\n`);
  if (others) process.stdout.write(`\n${others}\n`);
  // What must be exact is no speed. The first request of a minute makes a call more, which counts among few.
  const failed = failedRows(rows).filter(
    ({ bound, measured }) =>
      !options.once || (bound?.kind === "exactly" && Math.round(measured?.value ?? 0) !== bound.must),
  );
  for (const { what } of failed) note(`Beyond its bound: ${what}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
} finally {
  await stopProcess(load);
  await served.close();
}
