/**
 * `npm run bench`: what a chat request costs, compared with other gateways in the same run. Exits with 1 when a ratio
 * exceeds its bound.
 *
 * `--quick` measures a third as long; `--all` adds LiteLLM's proxy, which needs Python and takes longer; `--markdown`
 * prints the table for `infra/handbook/measurements.md`.
 */
import { parseArgs } from "node:util";
import * as z from "zod";
import { chooseCores, directTarget, type Gateway, serveChat, startPlainProxy } from "./compare/gateways.ts";
import { processCpu, residentMegabytes } from "./compare/kernel.ts";
import { type LoadCommand, loadResult, loadResults } from "./compare/load.ts";
import type { LoadTarget } from "./compare/load-client.ts";
import {
  type Bench,
  measureAlternating,
  measureRounds,
  measureStreams,
  readCalls,
} from "./compare/measure.ts";
import { startLiteLlm, startPortkey } from "./compare/peers.ts";
import { describe } from "./compare/report.ts";
import { failedRows, writeTable } from "./compare/verdict.ts";
import { ask, startProcess, stopProcess } from "./processes.ts";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});
/** How much of everything. */
const amount = options.quick
  ? { rounds: 3, repeats: 1, milliseconds: 1_500, requests: 1_500, streamTokens: 200, alternations: 300 }
  : { rounds: 5, repeats: 3, milliseconds: 2_500, requests: 2_500, streamTokens: 400, alternations: 1_000 };
/** Programs are compiled while they run. */
const warmUp = { milliseconds: 2_000, requests: 5_000 };
const connections = 16;
const streamPace = { connections: 64, pauseMilliseconds: 20 };

const note = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const cores = chooseCores();
if (cores.gateway === undefined) {
  note("Gateways and load share their cores: there is no taskset, or only one core.");
}
if (processCpu(process.pid) === undefined) {
  note("This system has no /proc: CPU and memory cannot be measured, and their bounds are not judged.");
}
const served = await serveChat(cores);
const others: Gateway[] = [];
const load = await startProcess("compare/load-process.ts", { core: cores.load });
try {
  const proxy = await startPlainProxy(served.mock, cores.gateway);
  others.push(proxy);
  const portkey = await startPortkey({ modelUrl: served.mock.url, core: cores.gateway });
  others.push(portkey);
  if (options.all) {
    await startLiteLlm({ modelUrl: served.mock.url, core: cores.gateway }).then(
      (gateway) => others.push(gateway),
      (error: unknown) => note(`LiteLLM is left out: ${String(error)}`),
    );
  } else note("LiteLLM is left out; --all asks it as well.");
  note(
    "Bifrost is left out: its program is in no package registry, and Go's module proxy does not have its source.",
  );
  const bench: Bench = {
    load,
    mock: served.mock,
    gateways: [served.chat, ...others],
    direct: directTarget(served.mock),
    core: cores.gateway,
  };
  const saturate =
    ({ milliseconds, requests }: typeof warmUp) =>
    (target: LoadTarget): LoadCommand => ({ kind: "saturate", target, connections, milliseconds, requests });

  note("Warming up.");
  const direct = await ask(load, saturate(warmUp)(bench.direct), loadResult);
  for (const { target } of bench.gateways) {
    await ask(load, saturate(warmUp)(target), loadResult);
    const reply = { tokens: 20, pauseMilliseconds: 0 };
    const streams: LoadCommand = { kind: "streams", targets: [target], connections, reply };
    await ask(load, streams, loadResults);
  }

  const log = z.object({ requests: z.int(), logLines: z.int() });
  const callsBefore = await readCalls(bench);
  const logBefore = await ask(served.chat, { kind: "log" }, log);
  note("Many requests at a time.");
  const whole = await measureRounds(bench, amount, saturate(amount));
  const callsAfter = await readCalls(bench);
  const logAfter = await ask(served.chat, { kind: "log" }, log);
  note("One request at a time.");
  if (logAfter.logLines - logBefore.logLines < logAfter.requests - logBefore.requests) {
    throw new Error("The function does not write its log, which would make it cheaper than it is.");
  }
  const single = await measureAlternating(bench, amount.alternations);
  note("Many streams at a time.");
  const streamed = await measureStreams(bench, amount, {
    connections: streamPace.connections,
    reply: { tokens: amount.streamTokens, pauseMilliseconds: streamPace.pauseMilliseconds },
  });
  note("One stream at a time.");
  const firstToken = await measureAlternating(bench, amount.alternations / 2, {
    tokens: 5,
    pauseMilliseconds: 0,
  });

  const rows = describe({
    whole,
    single,
    streamed,
    firstToken,
    streamTokens: amount.streamTokens,
    calls: {
      requests: logAfter.requests - logBefore.requests,
      logLines: logAfter.logLines - logBefore.logLines,
      dynamoDb: callsAfter.DynamoDB - callsBefore.DynamoDB,
      forwarded: callsAfter.forwarded - callsBefore.forwarded,
    },
    megabytes: new Map(bench.gateways.map(({ target, pid }) => [target.name, residentMegabytes(pid)])),
    directPerSecond: (direct.requests * 1_000) / direct.milliseconds,
  });
  process.stdout.write(`${writeTable(rows, !options.markdown)}\n`);
  if (whole.clean < whole.all || streamed.clean < streamed.all) {
    note(
      `Others were at the gateways' core in some rounds (${whole.clean} of ${whole.all} and ${streamed.clean} of ` +
        `${streamed.all} were clean). One other program changes little; a crowd of them brings all ratios nearer to 1.`,
    );
  }
  const failed = failedRows(rows);
  for (const { what } of failed) note(`Beyond its bound: ${what}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
} finally {
  await Promise.all([stopProcess(load), ...others.map(stopProcess)]);
  await served.close();
}
