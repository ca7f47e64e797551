/**
 * What chat costs on top of the model's server: `node test/bench/chat.ts`.
 *
 * The same mock server is called directly, through a proxy that only passes bytes on, through the chat function alone
 * (one process, plain HTTP) and through the whole local service (gateway, authorizer, a process for each invocation),
 * in turn within one run, so that the figures can be compared with each other. They say little about other machines.
 */
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { runCommand, runService } from "../support/run-service.ts";
import { directTarget, readStream, type StreamTimes, type Target } from "./chat/read-stream.ts";
import { askResourceUse } from "./chat/resource-use.ts";

const rounds = 200;
const longStream = { tokens: 50_000, pauseMilliseconds: 0 };

const print = (line = ""): void => {
  process.stdout.write(`${line}\n`);
};

/** Starts a benchmark process and waits for its address. */
const start = async (file: string, variables: Record<string, string> = {}) => {
  const child = fork(join(import.meta.dirname, "chat", file), {
    env: { ...process.env, POWERTOOLS_LOG_LEVEL: "SILENT", ...variables },
  });
  const [message] = await once(child, "message");
  return { child, url: z.object({ url: z.string() }).parse(message).url };
};

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(share * (values.length - 1))] ?? Number.NaN;

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);

/** Registers somebody whom no limit stops. */
const issueToken = async (url: string): Promise<string> => {
  const name = `bench-${randomBytes(4).toString("hex")}`;
  const password = "seven storks by the lake";
  await fetch(`${url}/auth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username: name, email: `${name}@example.com`, password }),
  });
  const promotion = runCommand("infra/commands/account.ts", [name, "--type", "Admin"], {
    DATA_DIR: dataDirectory,
  });
  if ((await promotion.ended) !== 0) throw new Error(promotion.output());
  const form = new URLSearchParams({ username: name, password });
  const response = await fetch(`${url}/auth/token`, { method: "POST", body: form });
  return z.object({ access_token: z.string() }).parse(await response.json()).access_token;
};

/** Calls every target once a round, so that whatever else the machine does concerns them all. */
const compareLatency = async (targets: Readonly<Record<string, Target>>): Promise<void> => {
  const times = new Map<string, StreamTimes[]>(Object.keys(targets).map((name) => [name, []]));
  for (let round = -20; round < rounds; round += 1) {
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
  print(`\none stream of ${longStream.tokens} tokens at full speed (best of 3, tokens a second)`);
  let direct = 0;
  for (const [name, target] of Object.entries(targets)) {
    let best = 0;
    for (let run = 0; run < 3; run += 1) {
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
const measureProcess = async (name: string, child: ChildProcess, target: Target): Promise<void> => {
  const before = await askResourceUse(child);
  const streaming = Promise.all(
    Array.from({ length: 50 }, () => readStream(target, { tokens: 250, pauseMilliseconds: 20 })),
  );
  let peak = 0;
  const looking = setInterval(() => {
    void askResourceUse(child).then(({ residentBytes }) => {
      peak = Math.max(peak, residentBytes);
    });
  }, 1_000);
  await streaming;
  clearInterval(looking);
  const after = await askResourceUse(child);
  const cpu = (after.cpuMicroseconds - before.cpuMicroseconds) / (50 * 250);
  print(`\n${name}: memory and CPU of its process`);
  print(`before                                   ${megabytes(before.residentBytes)} MB`);
  print(
    `50 streams of 50 tokens a second         ${megabytes(peak)} MB, ${cpu.toFixed(0)} µs of CPU a token`,
  );
  for (const tokens of [1_000, 100_000, 1_000_000]) {
    const start = await askResourceUse(child);
    await readStream(target, { tokens, pauseMilliseconds: 0 });
    const end = await askResourceUse(child);
    const each = ((end.cpuMicroseconds - start.cpuMicroseconds) / tokens).toFixed(1);
    const label = `after a stream of ${tokens} tokens`.padEnd(41);
    print(`${label}${megabytes(end.residentBytes)} MB, ${each} µs of CPU a token`);
  }
};

const dataDirectory = await mkdtemp(join(tmpdir(), "language-ai-bench-"));
const mock = await start("mock-server.ts");
const alone = await start("function-server.ts", { CHAT_BASE_URL: mock.url });
const proxy = await start("plain-proxy.ts", { CHAT_BASE_URL: mock.url });
const service = await runService({ PORT: "0", DATA_DIR: dataDirectory, CHAT_BASE_URL: mock.url });
try {
  const targets = {
    direct: directTarget(mock.url),
    "plain proxy": directTarget(proxy.url),
    "function alone": { baseUrl: alone.url, model: "lang-14b" },
    "whole local service": {
      baseUrl: `${service.url}/tasks`,
      model: "lang-14b",
      token: await issueToken(service.url),
    },
  };
  await compareLatency(targets);
  await compareThroughput(targets);
  await measureProcess("plain proxy", proxy.child, targets["plain proxy"]);
  await measureProcess("function alone", alone.child, targets["function alone"]);
} finally {
  await service.stop();
  for (const { child } of [mock, proxy, alone]) child.disconnect();
  await rm(dataDirectory, { recursive: true, force: true });
}
