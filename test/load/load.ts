/**
 * `npm run load -- --seconds 600 --streams 200 --workers 4`: the whole local service under mixed traffic and many chat
 * streams at a time, in front of a model server that costs next to nothing. Ends with 1 when the service made an error or
 * left something behind. Every open stream is a process here, as it is an environment of its own on Lambda: about 80 MB.
 */

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { readOptions } from "../../infra/command-line.ts";
import { healthInProcess } from "../support/built-handler.ts";
import { runService } from "../support/run-service.ts";
import { createAccount, type LoadAccount } from "./accounts.ts";
import { createLoadClient, type LoadResult } from "./client.ts";
import { processFamily, socketsOf } from "./processes.ts";
import { describeFaults, describeMemory, describeRequests, quantile, type Sample } from "./report.ts";
import { mixedRequest, streamChat } from "./traffic.ts";

const usage = `Usage: npm run load [-- --seconds 600 --streams 200 --workers 4]

Sends mixed traffic and many chat streams to the whole local service; ends with 1 when it made an error.`;

const values = readOptions(usage, {
  seconds: { type: "string", default: "30" },
  streams: { type: "string", default: "20" },
  workers: { type: "string", default: "2" },
});
const count = z.coerce.number().int().min(1);
const { seconds, streams, workers } = z
  .object({ seconds: count, streams: z.coerce.number().int().min(0), workers: count })
  .parse(values);

/** Between the starts of two streams. */
const startMilliseconds = 500;

/** Sent one by one after the load, to see whether requests leave sockets open. */
const furtherRequests = 500;
/** At most this many sockets of the gateway belong to one idle function. */
const socketsOfFunction = 8;

const folder = await mkdtemp(join(tmpdir(), "language-ai-load-"));
const model = fork(join(import.meta.dirname, "model-server.ts"));
const [started] = await once(model, "message");
const { url: modelUrl } = z.object({ url: z.string() }).parse(started);
const service = await runService({
  PORT: "0",
  DATA_DIR: folder,
  CHAT_BASE_URL: modelUrl,
  TRANSCRIPTION_BASE_URL: modelUrl,
  SPEECH_BASE_URL: modelUrl,
  // Each open stream, and each worker's call with its authorizer, uses one execution.
  FUNCTION_CONCURRENCY: String(streams + 2 * workers + 30),
});
const gatewayId = service.child.pid ?? 0;
const modelId = model.pid ?? 0;

const sampleAt = (second: number): Sample => {
  const [gateway, ...functions] = processFamily(gatewayId);
  return {
    second,
    gateway: gateway?.megabytes ?? 0,
    model: processFamily(modelId)[0]?.megabytes ?? 0,
    functions: functions.map(({ megabytes }) => megabytes),
  };
};

/** An account has 1,000 requests a minute, and its next requests come from the next one. */
const accounts: LoadAccount[] = [];
for (let left = 4 * workers + Math.ceil(streams / 25); left > 0; left -= 1) {
  accounts.push(await createAccount(service.url, folder));
}
let turn = 0;
const nextAccount = (): LoadAccount => {
  turn += 1;
  const account = accounts[turn % accounts.length];
  if (!account) throw new Error("There is no account.");
  return account;
};

const client = createLoadClient(service.url);
const results: LoadResult[] = [];
const samples: Sample[] = [];
/** Each function takes some: its three standard streams, and its connections to the gateway and the stores. */
const socketsAtRest = async () => {
  await pause(1_000);
  return { sockets: socketsOf(gatewayId) ?? 0, functions: processFamily(gatewayId).length - 1 };
};
const socketsBefore = await socketsAtRest();

let startedAt = Number.NaN;
const elapsed = (): number => (performance.now() - startedAt) / 1_000;
let isOver = false;
const repeat = async (next: () => ReturnType<typeof client.send>): Promise<void> => {
  while (!isOver) {
    const result = await next();
    // Until all workers run, most of the measured time is starting processes.
    if (!Number.isNaN(startedAt) || result.fault) results.push(result);
  }
};
let number = 0;
const nextMixed = () => {
  number += 1;
  return client.send(mixedRequest(number, nextAccount()));
};
const running = Array.from({ length: workers }, () => repeat(nextMixed));
// One after the other, because each starts processes: all at once they would only measure the start of processes.
for (let started = 0; started < streams; started += 1) {
  running.push(repeat(() => client.send(streamChat(nextAccount()))));
  await pause(startMilliseconds);
}
startedAt = performance.now();
const sampling = setInterval(
  () => samples.push(sampleAt(Math.round(elapsed()))),
  Math.max(1_000, (seconds * 1_000) / 60),
);
await pause(seconds * 1_000);
isOver = true;
await Promise.all(running);
clearInterval(sampling);
const lasted = elapsed();

// At rest again: what a call costs in comparison with the handler alone, in this process.
const restingClient = createLoadClient(service.url);
const timesOf = async (work: () => Promise<unknown>): Promise<number[]> => {
  const times: number[] = [];
  for (let index = 0; index < 300; index += 1) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return times.slice(50);
};
const overHttp = await timesOf(() => restingClient.send({ kind: "health", method: "GET", path: "/health" }));
const alone = await timesOf(await healthInProcess(folder));

restingClient.close();
// The same functions once more: what each request left behind would show.
const socketsAfter = await socketsAtRest();
for (let index = 0; index < furtherRequests; index += 1) await nextMixed();
const socketsInTheEnd = await socketsAtRest();
client.close();
const lostSockets =
  socketsInTheEnd.sockets -
  socketsAfter.sockets -
  socketsOfFunction * Math.max(0, socketsInTheEnd.functions - socketsAfter.functions);
const family = processFamily(gatewayId).map(({ id }) => id);
await service.stop();
const isAlive = (id: number): boolean => {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
};
const leaked = family.filter(isAlive);
model.disconnect();
await rm(folder, { recursive: true, force: true });

const { faults, lines: faultLines } = describeFaults(results, service.output());
process.stdout.write(
  `${[
    `${results.length} requests in ${lasted.toFixed(0)} s, ${streams} streams and ${workers} workers at a time`,
    "",
    ...describeRequests(results),
    ...faultLines,
    "",
    ...describeMemory(samples),
    `GET /health at rest, over HTTP to the handler alone: ${(quantile(overHttp, 0.5) / quantile(alone, 0.5)).toFixed(1)}x (${quantile(overHttp, 0.5).toFixed(2)} and ${quantile(alone, 0.5).toFixed(2)} ms)`,
    `sockets of the gateway at rest: ${[socketsBefore, socketsAfter, socketsInTheEnd]
      .map(({ sockets, functions }) => `${sockets} with ${functions} functions`)
      .join(", ")} (before, after, and ${furtherRequests} requests later)`,
    `processes left after the end: ${leaked.length}; sockets lost: ${Math.max(0, lostSockets)}; errors: ${faults}`,
  ].join("\n")}\n`,
);
process.exitCode = faults + leaked.length > 0 || lostSockets >= furtherRequests / 10 ? 1 : 0;
