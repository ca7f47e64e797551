/**
 * `npm run bench`: what a chat request costs, compared with other gateways in the same run. Exits with 1 when a figure
 * exceeds its bound.
 *
 * `--quick` measures a third as long; `--once` only sees whether it works; `--all` adds LiteLLM's proxy, which needs Python and takes longer; `--markdown`
 * prints the table for `infra/handbook/measurements.md`. `--without-own-protocol` compares the function with itself over
 * `node:http` instead, and fails when the exchange over our own sockets saves too little.
 */
import { readOptions } from "../../infra/commands/command-line.ts";
import { compareGateways } from "./compare/compare-gateways.ts";
import { compareProtocols } from "./compare/compare-protocols.ts";
import { chooseCores, serveChat } from "./compare/gateways.ts";
import { processCpu } from "./compare/kernel.ts";
import { fullPlan, note, oncePlan, quickPlan } from "./compare/plan.ts";
import { failedRows, writeTable } from "./compare/verdict.ts";
import { startProcess, stopProcess } from "./processes.ts";

const usage = `Usage: npm run bench [-- --quick | --once] [--all] [--markdown] [--without-own-protocol]

Compares the cost of a chat request with other gateways. --quick measures a third as long; --once only sees
whether it works, and judges no speed. --all adds LiteLLM's proxy, --markdown prints a table.`;

const options = readOptions(usage, {
  quick: { type: "boolean", default: false },
  once: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  markdown: { type: "boolean", default: false },
  "without-own-protocol": { type: "boolean", default: false },
});

const plan = options.once ? oncePlan : options.quick ? quickPlan : fullPlan;
const cores = chooseCores();
if (cores.gateway === undefined) {
  note("Gateways and load share their cores: there is no taskset, or only one core.");
}
if (processCpu(process.pid) === undefined) {
  note("This system has no /proc: CPU and memory cannot be measured, and their bounds are not judged.");
}
const served = await serveChat(cores);
const load = await startProcess("compare/load-process.ts", { core: cores.load });
try {
  const setup = { served, load, cores, plan };
  const { rows, heads } = options["without-own-protocol"]
    ? await compareProtocols(setup)
    : await compareGateways({ ...setup, withAll: options.all });
  process.stdout.write(`${writeTable(rows, !options.markdown, heads)}\n`);
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
