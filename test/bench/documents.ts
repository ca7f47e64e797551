/**
 * `npm run bench -- documents`: what the translation of a document costs. A page of 1,000 segments as a job of the local service is
 * compared with a loop over `POST /tasks/translate`: calls of the model, characters, CPU of the service, time; and so are 3,000 subtitles,
 * which take less than 20 seconds on two cores. Then the exponents with
 * which reading and writing grow with the segments, and a list with its texts. Exits with 1 when a bound is exceeded.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { readOptions } from "../../infra/command-line.ts";
import { openDocument } from "../../shared/documents/document-tools.ts";
import { createAccount } from "../load/accounts.ts";
import { runService } from "../support/run-service.ts";
import { exponentOf } from "./growth/slope.ts";
import { median } from "./statistics.ts";

const { once } = readOptions(
  `Usage: npm run bench -- documents [--once]

Measures the translation of a document. --once only sees whether it works: its document has 40 segments, and it judges no bound.`,
  { once: { type: "boolean", default: false } },
);
const segmentCount = once ? 40 : 1_000;
const rounds = once ? 1 : 5;
const beyond: string[] = [];
const print = (line: string) => process.stdout.write(`${line}\n`);
const expectBelow = (name: string, value: number, max: number): void => {
  print(`${name.padEnd(56)} ${value.toFixed(2).padStart(8)}   bound ${max}`);
  // Not a number is beyond every bound.
  if (!(value <= max) && !once) beyond.push(name);
};

/** Sentences of a page. Every fifth one occurs twice, as in menus and tables. */
const sentenceOf = (index: number): string =>
  `The clinic of village ${String.fromCharCode(97 + (index % 26))}${Math.floor(index / 26)} opens <b>at eight</b> on Monday.`;
const distinctCount = segmentCount * 0.8;
const sentences = Array.from({ length: segmentCount }, (_, index) => sentenceOf(index % distinctCount));
const pageOf = (texts: readonly string[]): string =>
  texts.map((text) => `<p class="a">${text}</p>\n`).join("");
const cueCount = once ? 40 : 3_000;
const cues = Array.from({ length: cueCount }, (_, index) => {
  const time = new Date(2_000 * index).toISOString().slice(11, 19);
  return `${index + 1}\n${time},000 --> ${time},900\nThe clinic of village ${index.toString(36)}\nopens <i>at eight</i>.\n\n`;
}).join("");

const chatRequest = z.object({ messages: z.array(z.object({ content: z.string() })).min(1) });
let calls = 0;
const model = createServer((request, response) => {
  void (async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(z.instanceof(Uint8Array).parse(chunk));
    // The service asks which models there are.
    if (request.method !== "POST") {
      response.writeHead(404).end();
      return;
    }
    const { messages } = chatRequest.parse(JSON.parse(Buffer.concat(chunks).toString()));
    const content = (messages.at(-1)?.content ?? "")
      .replace(/^.*?: /, "")
      // Other words, because a reply that repeats its source is not one.
      .replaceAll(/<[^>]*>|[a-z]/g, (found) =>
        found.length > 1 ? found : String.fromCharCode(97 + ((found.charCodeAt(0) - 84) % 26)),
      );
    calls += 1;
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(
      JSON.stringify({ choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] }),
    );
  })();
});
await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
const { port } = z.object({ port: z.int() }).parse(model.address());
const folder = await mkdtemp(join(tmpdir(), "language-ai-bench-"));
const service = await runService({
  PORT: "0",
  DATA_DIR: folder,
  LIMIT_MULTIPLIER: "1000",
  TRANSLATION_BASE_URL: `http://127.0.0.1:${port}/v1`,
});
const { token } = await createAccount(service.url, folder);

/** Milliseconds of CPU that the service and all its processes have used so far. */
const cpuOfService = async (): Promise<number> => {
  const processes = new Map<number, { readonly parent: number; readonly ticks: number }>();
  for (const name of await readdir("/proc")) {
    const status = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, "utf8").catch(() => "") : "";
    const fields = status
      .slice(status.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [, parent = 0] = fields;
    // utime, stime, and those of children that have ended.
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
    if (status !== "") processes.set(Number(name), { parent, ticks });
  }
  const isOurs = (id: number): boolean =>
    id === service.child.pid || (processes.has(id) && isOurs(processes.get(id)?.parent ?? 0));
  return [...processes].reduce((sum, [id, { ticks }]) => sum + (isOurs(id) ? ticks * 10 : 0), 0);
};

const send = async (path: string, body?: unknown): Promise<unknown> => {
  const response = await fetch(`${service.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

const jobView = z.object({ id: z.string(), status: z.string(), progress: z.object({ done: z.int() }) });

/** Translates a document as a job. @returns the characters that it counts. */
const translateAsJob = async (file_name: string, type: string, text: string): Promise<number> => {
  const bytes = Buffer.from(text);
  const upload = { file_name, content_type: type, size: bytes.length };
  const link = z
    .object({ upload_url: z.string(), file_id: z.string() })
    .parse(await send("/tasks/generate-upload-url", upload));
  const headers = { "Content-Type": type };
  const stored = await fetch(link.upload_url, { method: "PUT", headers, body: new Blob([bytes]) });
  if (!stored.ok) throw new Error(await stored.text());
  const request = { type: "translation", file_id: link.file_id, target_language: "lug" };
  let job = jobView.parse(await send("/tasks/jobs", request));
  while (job.status === "queued" || job.status === "running") {
    await pause(100);
    job = jobView.parse(await send(`/tasks/jobs/${job.id}`));
  }
  if (job.status !== "completed") throw new Error("The job failed.");
  return job.progress.done;
};

/** Translates the segments one by one. @returns the characters that it sends. */
const translateInLoop = async (): Promise<number> => {
  let characters = 0;
  for (const text of sentences) {
    await send("/tasks/translate", { target_language: "lug", text });
    characters += [...text].length;
  }
  return characters;
};

const measure = async (work: () => Promise<number>) => {
  const [cpu, callsBefore, startedAt] = [await cpuOfService(), calls, performance.now()];
  const characters = await work();
  return {
    characters,
    calls: calls - callsBefore,
    cpu: (await cpuOfService()) - cpu,
    seconds: (performance.now() - startedAt) / 1_000,
  };
};

const translatePage = () => translateAsJob("page.html", "text/html", pageOf(sentences));
await translatePage();
await send("/tasks/translate", { target_language: "lug", text: "Hello" });
const asJob = await measure(translatePage);
const inLoop = await measure(translateInLoop);
const asSubtitles = await measure(() => translateAsJob("talk.srt", "application/x-subrip", cues));
print(`a page of ${segmentCount} segments, ${distinctCount} of them distinct, and ${cueCount} subtitles`);
print(`                  calls   characters   CPU in ms   seconds`);
for (const [name, { calls: each, characters, cpu, seconds }] of [
  ["as a job", asJob],
  ["in a loop", inLoop],
  ["subtitles", asSubtitles],
] as const) {
  print(
    `${name.padEnd(14)} ${String(each).padStart(8)} ${String(characters).padStart(12)} ${cpu.toFixed(0).padStart(11)} ${seconds.toFixed(2).padStart(9)}`,
  );
}
print("");
expectBelow("calls of the model for each distinct segment", asJob.calls / distinctCount, 1);
expectBelow("CPU, compared with the loop", asJob.cpu / inLoop.cpu, 0.5);
expectBelow(
  "CPU of a subtitle, compared with a text of the loop",
  asSubtitles.cpu / cueCount / (inLoop.cpu / segmentCount),
  0.5,
);

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
await translateHere(sizes[0] ?? 1);
expectBelow("exponent of CPU over the segments of a document", await growth(sizes, translateHere), 1.1);

const listRequests = once ? 2 : 40;
const translateList = async (size: number): Promise<number> => {
  const items = Array.from({ length: size }, (_, index) => ({
    text: sentenceOf(index).replaceAll(/<\/?b>/g, ""),
  }));
  const before = await cpuOfService();
  for (let count = 0; count < listRequests; count += 1) {
    await send("/tasks/translate/batch", { target_language: "lug", items });
  }
  return Math.max(1, (await cpuOfService()) - before);
};
const listSizes = once ? [2, 4] : [6, 12, 25, 50];
await translateList(listSizes[0] ?? 1);
expectBelow("exponent of CPU over the texts of a list", await growth(listSizes, translateList), 1.1);

await service.stop();
model.close();
await rm(folder, { recursive: true, force: true });
if (beyond.length > 0) {
  print(`\nBeyond the bound: ${beyond.join("; ")}.`);
  process.exitCode = 1;
}
