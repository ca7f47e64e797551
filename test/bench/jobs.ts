/**
 * `npm run bench -- jobs`: a recording of three hours as a job of the local service, with a model that responds at once
 * (seconds, memory, calls); half an hour with a model at ten times real time (our share of the time); and the cost of
 * planning and cutting three hours, for each format. Exits with 1 when a bound is exceeded.
 */

import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { readOptions } from "../../infra/command-line.ts";
import { mp3FrameSamples, mp3Rate } from "../fixtures/audio/make-mpeg.ts";
import { createAccount } from "../load/accounts.ts";
import { runService } from "../support/run-service.ts";
import { longFiles } from "./speech/long-files.ts";

const { once } = readOptions(
  `Usage: npm run bench -- jobs [--once]

Measures a job with a recording of three hours, and planning and cutting it. --once only sees whether it works: its hours have six
minutes, and it judges no bound.`,
  { once: { type: "boolean", default: false } },
);
const hour = once ? 360 : 3_600;
const folder = await mkdtemp(join(tmpdir(), "language-ai-bench-"));
const say = (line: string) => process.stdout.write(`${line}\n`);
const beyond: string[] = [];
const expectBelow = (name: string, value: number, max: number, unit: string): void => {
  // Not a number is beyond every bound.
  if (!(value <= (once ? Number.POSITIVE_INFINITY : max)))
    beyond.push(`${name}: ${value.toFixed(1)} ${unit}; at most ${max}.`);
};

/** A model's server; it knows how long a piece plays by its size, as all frames are alike. */
const model = {
  timesRealTime: Number.POSITIVE_INFINITY,
  calls: 0,
  busyFrom: 0,
  busy: 0,
  busyMilliseconds: 0,
};
const bytesPerSecond = (104 * mp3Rate) / mp3FrameSamples;
const mock = createServer((request, response) => {
  void (async () => {
    if (model.busy === 0) model.busyFrom = performance.now();
    model.busy += 1;
    let bytes = 0;
    for await (const chunk of request) bytes += z.instanceof(Uint8Array).parse(chunk).length;
    const seconds = bytes / bytesPerSecond;
    await pause((seconds / model.timesRealTime) * 1_000);
    model.calls += 1;
    const segments = Array.from({ length: Math.floor(seconds / 5) }, (_, index) => ({
      start: index * 5,
      end: index * 5 + 4,
      text: `word ${model.calls} ${index}`,
    }));
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ text: segments.map(({ text }) => text).join(" "), segments }));
    model.busy -= 1;
    if (model.busy === 0) model.busyMilliseconds += performance.now() - model.busyFrom;
  })();
});
await new Promise<void>((resolve) => mock.listen(0, "127.0.0.1", resolve));
const { port } = z.object({ port: z.int() }).parse(mock.address());

const service = await runService({
  PORT: "0",
  DATA_DIR: folder,
  TRANSCRIPTION_BASE_URL: `http://127.0.0.1:${port}/v1`,
  TRANSCRIPTION_MODEL: "mock",
});
const { token } = await createAccount(service.url, folder);

const ask = async (path: string, body?: unknown): Promise<unknown> => {
  const response = await fetch(`${service.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

/** The memory of the service and of all its processes, in megabytes, without what they share counted twice. */
const memoryOfService = async (): Promise<number> => {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    const status = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, "utf8").catch(() => "") : "";
    const parent = /\) \S (\d+)/.exec(status)?.[1];
    if (parent) parents.set(Number(name), Number(parent));
  }
  const isOurs = (id: number | undefined): boolean =>
    id !== undefined && (id === service.child.pid || isOurs(parents.get(id)));
  let kilobytes = 0;
  for (const id of parents.keys()) {
    if (!isOurs(id)) continue;
    const rollup = await readFile(`/proc/${id}/smaps_rollup`, "utf8").catch(() => "");
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  }
  return kilobytes / 1_024;
};

const jobView = z.object({ id: z.string(), status: z.string() });

interface Measured {
  readonly seconds: number;
  readonly calls: number;
  /** Beyond what the service had before. */
  readonly megabytes: number;
  /** In which the model had something to do. */
  readonly modelSeconds: number;
}

/** Uploads a recording, has it transcribed, and waits for its end. */
const runJob = async (bytes: Buffer): Promise<Measured> => {
  const link = z.object({ upload_url: z.string(), file_id: z.string() }).parse(
    await ask("/tasks/generate-upload-url", {
      file_name: "council.mp3",
      content_type: "audio/mpeg",
      size: bytes.length,
    }),
  );
  const headers = { "Content-Type": "audio/mpeg" };
  const uploaded = await fetch(link.upload_url, {
    method: "PUT",
    headers,
    body: new Blob([Buffer.from(bytes)]),
  });
  if (!uploaded.ok) throw new Error(await uploaded.text());
  await pause(2_000);
  const memoryBefore = await memoryOfService();
  Object.assign(model, { calls: 0, busyMilliseconds: 0 });
  const startedAt = performance.now();
  const { id } = jobView.parse(
    await ask("/tasks/jobs", { type: "transcription", file_id: link.file_id, language: "lug" }),
  );
  let megabytes = 0;
  for (;;) {
    const { status } = jobView.parse(await ask(`/tasks/jobs/${id}`));
    if (status === "completed") break;
    if (status === "failed") throw new Error("The job failed.");
    megabytes = Math.max(megabytes, (await memoryOfService()) - memoryBefore);
    await pause(250);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return { seconds, calls: model.calls, megabytes, modelSeconds: model.busyMilliseconds / 1_000 };
};

const mp3 = async (seconds: number): Promise<Buffer> =>
  Buffer.from((await longFiles["mp3"]?.(seconds, 0)) ?? Buffer.alloc(0));

await runJob(await mp3(60));
const atOnce = await runJob(await mp3(3 * hour));
say("three hours, a model that responds at once, through the local service");
say(
  `${atOnce.seconds.toFixed(1)} s, ${atOnce.calls} calls of the model, ${atOnce.megabytes.toFixed(0)} MB more than before`,
);
expectBelow("three hours", atOnce.seconds, 30, "s");
expectBelow("memory for three hours", atOnce.megabytes, 300, "MB");
// Twenty pieces, none of them twice.
expectBelow("calls for three hours", atOnce.calls, 20, "calls");

model.timesRealTime = once ? 100 : 10;
const atTenTimes = await runJob(await mp3(hour / 2));
const share = 1 - atTenTimes.modelSeconds / atTenTimes.seconds;
say("\nhalf an hour, a model that works at ten times real time");
say(
  `${atTenTimes.seconds.toFixed(1)} s, of which the model had something to do in ${atTenTimes.modelSeconds.toFixed(1)} s: ${(100 * share).toFixed(1)}% are ours`,
);
expectBelow("our share of the time", 100 * share, 5, "%");
await service.stop();
mock.close();

const probed = z.object({
  pieces: z.int(),
  planMilliseconds: z.number(),
  cutMilliseconds: z.number(),
  peakMegabytes: z.number(),
});
const probe = (...path: string[]): z.infer<typeof probed> =>
  probed.parse(
    JSON.parse(
      execFileSync(process.execPath, [join(import.meta.dirname, "jobs/probe.ts"), ...path], {
        encoding: "utf8",
      }),
    ),
  );
const { peakMegabytes: empty } = probe();
say("\nthree hours          pieces   planned in   a piece cut in   memory beyond an empty process");
for (const [format, make] of Object.entries(longFiles)) {
  const file = join(folder, "recording");
  const content = await make(3 * hour, 0);
  await writeFile(file, content);
  const { pieces, planMilliseconds, cutMilliseconds, peakMegabytes } = probe(file);
  const described = `${format}, ${(content.length / 1e6).toFixed(0)} MB`;
  const perPiece = cutMilliseconds / pieces;
  say(
    `${described.padEnd(20)} ${String(pieces).padStart(6)} ${planMilliseconds.toFixed(0).padStart(9)} ms ${perPiece.toFixed(0).padStart(13)} ms ${(peakMegabytes - empty).toFixed(0).padStart(9)} MB`,
  );
  expectBelow(`memory for ${format}`, peakMegabytes - empty, 150, "MB");
}
await rm(folder, { recursive: true, force: true });
if (beyond.length > 0) {
  process.stderr.write(`Beyond their bounds:\n${beyond.join("\n")}\n`);
  process.exitCode = 1;
}
