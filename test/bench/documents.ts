/**
 * `npm run bench -- documents`: what the translation of a document costs. A page of 1,000 segments as a job of the local service is
 * compared with a loop over `POST /tasks/translate`: calls of the model, characters, CPU of the service, time. Then the exponents with
 * which reading and writing grow with the segments, and a list with its texts. Exits with 1 when a bound is exceeded.
 */
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { openDocument } from "../../shared/documents/document-tools.ts";
import { ofFamily } from "../load/processes.ts";
import { listenOnLoopback } from "../support/loopback-server.ts";
import { type BenchService, Bounds, readOnce, say, withService } from "./bench-service.ts";
import { treeCpu } from "./compare/kernel.ts";
import { exponentOf } from "./growth/slope.ts";
import { median } from "./statistics.ts";

const once = readOnce(
  "documents",
  "Measures the translation of a document.",
  "its document has 40 segments, and it judges no bound.",
);
const segmentCount = once ? 40 : 1_000;
const rounds = once ? 1 : 5;
const bounds = new Bounds(!once);
const expectBelow = (name: string, value: number, max: number): void => {
  say(`${name.padEnd(56)} ${value.toFixed(2).padStart(8)}   bound ${max}`);
  bounds.expectBelow(name, value, max);
};

/** Sentences of a page. Every fifth one occurs twice, as in menus and tables. */
const sentenceOf = (index: number): string =>
  `The clinic of village ${String.fromCharCode(97 + (index % 26))}${Math.floor(index / 26)} opens <b>at eight</b> on Monday.`;
const distinctCount = segmentCount * 0.8;
const sentences = Array.from({ length: segmentCount }, (_, index) => sentenceOf(index % distinctCount));
const pageOf = (texts: readonly string[]): string =>
  texts.map((text) => `<p class="a">${text}</p>\n`).join("");

const chatRequest = z.object({ messages: z.array(z.object({ content: z.string() })).min(1) });
let calls = 0;
const model = await listenOnLoopback(
  createServer((request, response) => {
    void (async () => {
      const { messages } = chatRequest.parse(await json(request));
      const content = (messages.at(-1)?.content ?? "").replace(/^.*?: /, "").toUpperCase();
      calls += 1;
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(
        JSON.stringify({ choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] }),
      );
    })();
  }),
);

/** Milliseconds of CPU that the service and all its processes have used so far. */
const cpuOf = ({ pid }: BenchService): number => ofFamily(pid, treeCpu) / 1_000;

/** Translates the page as a job. @returns the characters that it counts. */
const translateAsJob = async ({ api, token }: BenchService): Promise<number> => {
  const fields = { type: "translation", target_language: "lug" };
  let job = await api.startJob(pageOf(sentences), fields, { token, name: "page.html", type: "text/html" });
  while (job.status === "queued" || job.status === "running") {
    await pause(100);
    job = await api.send(`/tasks/jobs/${job.id}`, { token });
  }
  if (job.status !== "completed") throw new Error("The job failed.");
  return job.progress.done;
};

const translate = ({ api, token }: BenchService, text: string): Promise<unknown> =>
  api.send("/tasks/translate", { token, body: { target_language: "lug", text } });

/** Translates the segments one by one. @returns the characters that it sends. */
const translateInLoop = async (service: BenchService): Promise<number> => {
  for (const text of sentences) await translate(service, text);
  return sentences.reduce((sum, text) => sum + [...text].length, 0);
};

const measure = async (service: BenchService, work: (service: BenchService) => Promise<number>) => {
  const [cpu, callsBefore, startedAt] = [cpuOf(service), calls, performance.now()];
  const characters = await work(service);
  return {
    characters,
    calls: calls - callsBefore,
    cpu: cpuOf(service) - cpu,
    seconds: (performance.now() - startedAt) / 1_000,
  };
};

const compareWithLoop = async (service: BenchService): Promise<void> => {
  await translateAsJob(service);
  await translate(service, "Hello");
  const asJob = await measure(service, translateAsJob);
  const inLoop = await measure(service, translateInLoop);
  say(`a page of ${segmentCount} segments, ${distinctCount} of them distinct`);
  say("                  calls   characters   CPU in ms   seconds");
  for (const [name, { calls: each, characters, cpu, seconds }] of Object.entries({
    "as a job": asJob,
    "in a loop": inLoop,
  })) {
    say(
      `${name.padEnd(14)} ${String(each).padStart(8)} ${String(characters).padStart(12)} ${cpu.toFixed(0).padStart(11)} ${seconds.toFixed(2).padStart(9)}`,
    );
  }
  say();
  expectBelow("calls of the model for each distinct segment", asJob.calls / distinctCount, 1);
  expectBelow("CPU, compared with the loop", asJob.cpu / inLoop.cpu, 0.5);
};

/** The exponents of a cost over sizes, one of each round. */
const growth = async (sizes: readonly number[], cost: (size: number) => Promise<number>): Promise<number> => {
  const exponents: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const points: [number, number][] = [];
    for (const size of sizes) points.push([size, await cost(size)]);
    exponents.push(exponentOf(points));
  }
  return median(exponents);
};

const translateHere = async (size: number): Promise<number> => {
  const bytes = new TextEncoder().encode(
    pageOf(Array.from({ length: size }, (_, index) => sentenceOf(index))),
  );
  const before = process.cpuUsage();
  const document = openDocument(bytes, "html");
  const results = [];
  for (const index of document.passages.keys()) {
    results.push(await document.translatePassage(index, async (text) => text.toUpperCase()));
  }
  document.write(results);
  const { user, system } = process.cpuUsage(before);
  return user + system;
};
const sizes = once ? [50, 100] : [2_000, 4_000, 8_000, 16_000];

const listRequests = once ? 2 : 40;
const listSizes = once ? [2, 4] : [6, 12, 25, 50];
const translateList = async (service: BenchService, size: number): Promise<number> => {
  const items = Array.from({ length: size }, (_, index) => ({
    text: sentenceOf(index).replaceAll(/<\/?b>/g, ""),
  }));
  const before = cpuOf(service);
  for (let count = 0; count < listRequests; count += 1) {
    const body = { target_language: "lug", items };
    await service.api.send("/tasks/translate/batch", { token: service.token, body });
  }
  return Math.max(1, cpuOf(service) - before);
};

const variables = { LIMIT_MULTIPLIER: "1000", TRANSLATION_BASE_URL: `${model.url}/v1` };
await withService(variables, async (service) => {
  await compareWithLoop(service);
  await translateHere(sizes[0] ?? 1);
  expectBelow("exponent of CPU over the segments of a document", await growth(sizes, translateHere), 1.1);
  const cost = (size: number) => translateList(service, size);
  await cost(listSizes[0] ?? 1);
  expectBelow("exponent of CPU over the texts of a list", await growth(listSizes, cost), 1.1);
});
await model.close();
bounds.report();
