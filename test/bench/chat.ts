/**
 * What chat costs on top of the model's server: `node test/bench/chat.ts`.
 *
 * The same mock server is called directly, through a proxy that only passes bytes on, through the chat function alone
 * (one process, plain HTTP) and through the whole local service (gateway, authorizer, a process for each invocation),
 * in turn within one run, so that the figures can be compared with each other. They say little about other machines.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { readOptions } from "../../infra/command-line.ts";
import { createAccount } from "../load/accounts.ts";
import { runService } from "../support/run-service.ts";
import { directTarget, readStream, type StreamTimes, type Target } from "./chat/read-stream.ts";
import { ask, type BenchProcess, startProcess, stopProcess } from "./processes.ts";
import { quantile } from "./statistics.ts";

const { once } = readOptions(
  `Usage: npm run bench -- chat [--once]

Measures latency, throughput and memory of chat: direct, through a plain proxy, the function, and the whole service. --once only
sees whether it works: it sends few tokens.`,
  { once: { type: "boolean", default: false } },
);
const [warmUps, rounds] = once ? [1, 2] : [20, 200];
const longStream = { tokens: once ? 1_000 : 50_000, pauseMilliseconds: 0 };
const attempts = once ? 1 : 3;
const streams = once ? 2 : 50;
const pacedStream = { tokens: once ? 10 : 250, pauseMilliseconds: 20 };
const longStreams = once ? [1_000] : [1_000, 100_000, 1_000_000];

const print = (line = ""): void => {
  process.stdout.write(`${line}\n`);
};

const resourceUse = z.object({ cpuMicroseconds: z.number(), residentBytes: z.number() });

/** What a process has used since its start, and the memory it holds now. */
const askResourceUse = (process: BenchProcess): Promise<z.infer<typeof resourceUse>> =>
  ask(process, { kind: "resource use" }, resourceUse);

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);

/** Calls every target once a round, so that other load on the machine affects them all. */
const compareLatency = async (targets: Readonly<Record<string, Target>>): Promise<void> => {
  const times = new Map<string, StreamTimes[]>(Object.keys(targets).map((name) => [name, []]));
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [name, target] of Object.entries(targets)) {
      const measured = await readStream(target, { tokens: 5, pauseMilliseconds: 0 });
      if (round >= 0) times.get(name)?.push(measured);
    }
  }
  const direct = times.get("direct") ?? [];
  print(`short streams, one at a time, ${rounds} rounds (milliseconds)`);
  print(
    "                    first token: median   added (p90)   ratio | whole: median   added (p90)   ratio",
  );
  for (const [name, measured] of times) {
    const columns = (["firstToken", "whole"] as const).map((key) => {
      const values = measured.map((one) => one[key]);
      const added = measured.map((one, round) => one[key] - (direct[round]?.[key] ?? 0));
      const median = quantile(values, 0.5);
      const ratio =
        median /
        quantile(
          direct.map((one) => one[key]),
          0.5,
        );
      const plus = `${quantile(added, 0.5).toFixed(2)} (${quantile(added, 0.9).toFixed(2)})`;
      return `${median.toFixed(2).padStart(10)} ${plus.padStart(15)} ${ratio.toFixed(1).padStart(6)}x`;
    });
    print(`${name.padEnd(24)}${columns.join("  ")}`);
  }
};

const compareThroughput = async (targets: Readonly<Record<string, Target>>): Promise<void> => {
  print(`\none stream of ${longStream.tokens} tokens at full speed (best of ${attempts}, tokens a second)`);
  let direct = 0;
  for (const [name, target] of Object.entries(targets)) {
    let best = 0;
    for (let run = 0; run < attempts; run += 1) {
      const { whole } = await readStream(target, longStream);
      best = Math.max(best, longStream.tokens / (whole / 1_000));
    }
    direct ||= best;
    print(
      `${name.padEnd(24)}${Math.round(best).toString().padStart(10)}   ${(best / direct).toFixed(2)} of direct`,
    );
  }
};

/** Sends many streams at the pace of a model through one process, then ever longer ones. */
const measureProcess = async (name: string, process: BenchProcess, target: Target): Promise<void> => {
  const before = await askResourceUse(process);
  const streaming = Promise.all(Array.from({ length: streams }, () => readStream(target, pacedStream)));
  let peak = 0;
  const looking = setInterval(() => {
    void askResourceUse(process).then(({ residentBytes }) => {
      peak = Math.max(peak, residentBytes);
    });
  }, 1_000);
  await streaming;
  clearInterval(looking);
  const after = await askResourceUse(process);
  const cpu = (after.cpuMicroseconds - before.cpuMicroseconds) / (streams * pacedStream.tokens);
  print(`\n${name}: memory and CPU of its process`);
  print(`before                                   ${megabytes(before.residentBytes)} MB`);
  print(
    `${`${streams} streams of 50 tokens a second`.padEnd(41)}${megabytes(peak)} MB, ${cpu.toFixed(0)} µs of CPU a token`,
  );
  for (const tokens of longStreams) {
    const start = await askResourceUse(process);
    await readStream(target, { tokens, pauseMilliseconds: 0 });
    const end = await askResourceUse(process);
    const each = ((end.cpuMicroseconds - start.cpuMicroseconds) / tokens).toFixed(1);
    const label = `after a stream of ${tokens} tokens`.padEnd(41);
    print(`${label}${megabytes(end.residentBytes)} MB, ${each} µs of CPU a token`);
  }
};

const dataDirectory = await mkdtemp(join(tmpdir(), "language-ai-bench-"));
const mock = await startProcess("compare/mock-process.ts");
const variables = { CHAT_BASE_URL: mock.url, LOG_LEVEL: "SILENT" };
const alone = await startProcess("chat/function-server.ts", { variables });
const proxy = await startProcess("plain-proxy.ts", {
  variables: { PROXIED_URL: `${mock.url}/chat/completions` },
});
const service = await runService({ PORT: "0", DATA_DIR: dataDirectory, CHAT_BASE_URL: mock.url });
try {
  const targets = {
    direct: directTarget(mock.url),
    "plain proxy": directTarget(proxy.url),
    "function alone": { baseUrl: alone.url, model: "lang-14b" },
    "whole local service": {
      baseUrl: `${service.url}/tasks`,
      model: "lang-14b",
      token: (await createAccount(service.url, dataDirectory)).token,
    },
  };
  await compareLatency(targets);
  await compareThroughput(targets);
  await measureProcess("plain proxy", proxy, targets["plain proxy"]);
  await measureProcess("function alone", alone, targets["function alone"]);
} finally {
  await service.stop();
  await Promise.all([mock, proxy, alone].map(stopProcess));
  await rm(dataDirectory, { recursive: true, force: true });
}
