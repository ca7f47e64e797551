/**
 * `npm run bench -- jobs`: a recording of three hours as a job of the local service, with a model that responds at once
 * (seconds, memory, calls); half an hour with a model at ten times real time (our share of the time); and the cost of
 * reading, planning and cutting three hours, for each format. Exits with 1 when a bound is exceeded.
 */

import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { mp3FrameSamples, mp3Rate } from "../fixtures/audio/make-mpeg.ts";
import { ofFamily } from "../load/processes.ts";
import { listenOnLoopback } from "../support/loopback-server.ts";
import { type BenchService, Bounds, readOnce, say, withService } from "./bench-service.ts";
import { proportionalMegabytes } from "./compare/kernel.ts";
import { longFiles } from "./speech/long-files.ts";

const once = readOnce(
  "jobs",
  "Measures a job with a recording of three hours, and reading, planning and cutting it.",
  "its hours have six minutes, and it judges no bound.",
);
const hour = once ? 360 : 3_600;
const bounds = new Bounds(!once);

/** A model's server; it knows how long a piece plays by its size, as all frames are alike. */
const model = {
  timesRealTime: Number.POSITIVE_INFINITY,
  calls: 0,
  busyFrom: 0,
  busy: 0,
  busyMilliseconds: 0,
};
const bytesPerSecond = (104 * mp3Rate) / mp3FrameSamples;
const mock = await listenOnLoopback(
  createServer((request, response) => {
    void (async () => {
      if (model.busy === 0) model.busyFrom = performance.now();
      model.busy += 1;
      const seconds = (await buffer(request)).length / bytesPerSecond;
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
  }),
);

/** Has a recording transcribed, and waits for its end. The memory is what the service has beyond what it had before. */
const runJob = async ({ api, token, pid }: BenchService, seconds: number) => {
  const bytes = (await longFiles["mp3"]?.(seconds, 0)) ?? Buffer.alloc(0);
  const file_id = await api.upload(bytes, { token, name: "council.mp3", type: "audio/mpeg" });
  await pause(2_000);
  const memory = () => ofFamily(pid, proportionalMegabytes);
  const memoryBefore = memory();
  Object.assign(model, { calls: 0, busyMilliseconds: 0 });
  const startedAt = performance.now();
  const { id } = await api.send("/tasks/jobs", {
    token,
    body: { type: "transcription", file_id, language: "lug" },
  });
  let megabytes = 0;
  for (let status = "queued"; status !== "completed"; await pause(250)) {
    ({ status } = await api.send(`/tasks/jobs/${id}`, { token }));
    if (status === "failed") throw new Error("The job failed.");
    megabytes = Math.max(megabytes, memory() - memoryBefore);
  }
  const lasted = (performance.now() - startedAt) / 1_000;
  return { seconds: lasted, calls: model.calls, megabytes, modelSeconds: model.busyMilliseconds / 1_000 };
};

const measureJobs = async (service: BenchService): Promise<void> => {
  await runJob(service, 60);
  const atOnce = await runJob(service, 3 * hour);
  say("three hours, a model that responds at once, through the local service");
  say(
    `${atOnce.seconds.toFixed(1)} s, ${atOnce.calls} calls of the model, ${atOnce.megabytes.toFixed(0)} MB more than before`,
  );
  bounds.expectBelow("three hours", atOnce.seconds, 30, "s");
  bounds.expectBelow("memory for three hours", atOnce.megabytes, 300, "MB");
  // Twenty pieces, none of them twice.
  bounds.expectBelow("calls for three hours", atOnce.calls, 20, "calls");

  model.timesRealTime = once ? 100 : 10;
  const { seconds, modelSeconds } = await runJob(service, hour / 2);
  const share = 100 * (1 - modelSeconds / seconds);
  say("\nhalf an hour, a model that works at ten times real time");
  say(
    `${seconds.toFixed(1)} s, of which the model had something to do in ${modelSeconds.toFixed(1)} s: ${share.toFixed(1)}% are ours`,
  );
  bounds.expectBelow("our share of the time", share, 5, "%");
};

const probed = z.object({
  pieces: z.int(),
  readMilliseconds: z.number(),
  planMilliseconds: z.number(),
  cutMilliseconds: z.number(),
  peakMegabytes: z.number(),
});
const script = join(import.meta.dirname, "jobs/probe.ts");
const probe = (...path: string[]): z.infer<typeof probed> =>
  probed.parse(JSON.parse(execFileSync(process.execPath, [script, ...path], { encoding: "utf8" })));

/** Reads, plans and cuts a file of each format, in a process of its own. */
const measureFiles = async (folder: string): Promise<void> => {
  const { peakMegabytes: empty } = probe();
  say(
    "\nthree hours          pieces    read in   planned in   a piece cut in   memory beyond an empty process",
  );
  for (const [format, make] of Object.entries(longFiles)) {
    const file = join(folder, "recording");
    const content = await make(3 * hour, 0);
    await writeFile(file, content);
    const { pieces, readMilliseconds, planMilliseconds, cutMilliseconds, peakMegabytes } = probe(file);
    const described = `${format}, ${(content.length / 1e6).toFixed(0)} MB`;
    const times = [readMilliseconds, planMilliseconds, cutMilliseconds / pieces].map((each) =>
      each.toFixed(0),
    );
    const [read = "", planned = "", cut = ""] = times;
    const megabytes = peakMegabytes - empty;
    say(
      `${described.padEnd(20)} ${String(pieces).padStart(6)} ${read.padStart(7)} ms ${planned.padStart(9)} ms ${cut.padStart(13)} ms ${megabytes.toFixed(0).padStart(9)} MB`,
    );
    bounds.expectBelow(`memory for ${format}`, megabytes, 150, "MB");
  }
};

const variables = { TRANSCRIPTION_BASE_URL: `${mock.url}/v1`, TRANSCRIPTION_MODEL: "mock" };
await withService(variables, async (service) => {
  await measureJobs(service);
  await measureFiles(service.folder);
});
await mock.close();
bounds.report();
