/**
 * `npm run bench -- local`: what the local service costs. Prints how soon it is ready, the memory of its processes at
 * rest, and the cost of a warm call compared with the same handler in one process, in the same run.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../../infra/command-line.ts";
import { processFamily } from "../load/processes.ts";
import { healthInProcess } from "../support/built-handler.ts";
import { runService } from "../support/run-service.ts";
import { median } from "./statistics.ts";

const { once } = readOptions(
  `Usage: npm run bench -- local [--once]

Measures how soon the local service is ready, its memory, and a warm call. --once only sees whether it works.`,
  { once: { type: "boolean", default: false } },
);
const [starts, warmUps, calls] = once ? [1, 1, 1] : [3, 50, 500];

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

const medianOf = async (work: () => Promise<unknown>): Promise<number> => {
  for (let warmUp = 0; warmUp < warmUps; warmUp += 1) await work();
  const times: number[] = [];
  for (let index = 0; index < calls; index += 1) times.push(await timed(work));
  return median(times);
};

/** Resident memory of a process and everything it started. */
const treeMegabytes = (root: number): number =>
  processFamily(root).reduce((sum, { megabytes }) => sum + megabytes, 0);

const agent = new Agent({ keepAlive: true });
const get = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    request(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} responds with ${response.statusCode}.`));
      response.resume().once("end", resolve);
    })
      .once("error", reject)
      .end();
  });

const dataDirectory = await mkdtemp(join(tmpdir(), "language-ai-bench-"));
const variables = { PORT: "0", DATA_DIR: dataDirectory };
const readySeconds: number[] = [];
for (let round = 0; round < starts; round += 1) {
  const startedAt = performance.now();
  const service = await runService(variables);
  readySeconds.push((performance.now() - startedAt) / 1_000);
  await service.stop();
}

const service = await runService(variables);
const restMegabytes = treeMegabytes(service.child.pid ?? 0);
const overHttp = await medianOf(() => get(`${service.url}/health`));
const warmMegabytes = treeMegabytes(service.child.pid ?? 0);

const inProcess = await medianOf(await healthInProcess(dataDirectory));
await service.stop();
agent.destroy();
await rm(dataDirectory, { recursive: true, force: true });

process.stdout.write(
  [
    `ready after                        ${readySeconds.map((seconds) => seconds.toFixed(1)).join(", ")} s`,
    `memory at rest, all processes      ${restMegabytes.toFixed(0)} MB (after the first calls ${warmMegabytes.toFixed(0)} MB)`,
    `warm GET /health over HTTP         ${overHttp.toFixed(2)} ms (median of ${calls})`,
    `the same handler in-process        ${inProcess.toFixed(2)} ms`,
    `so the gateway and Lambda add      ${(overHttp - inProcess).toFixed(2)} ms`,
    "",
  ].join("\n"),
);
