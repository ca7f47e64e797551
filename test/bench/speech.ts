/**
 * `npm run bench:speech`: how much later the first byte of speech comes through the service than from the model's
 * server itself, and what it costs to find out how long a recording is, for each format, in a process of its own.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createAccount } from "../load/accounts.ts";
import { runService } from "../support/run-service.ts";
import { wavHeaderBytes } from "../support/wav.ts";
import { longFiles } from "./speech/long-files.ts";
import { median } from "./statistics.ts";

const rounds = 60;
const folder = await mkdtemp(join(tmpdir(), "language-ai-bench-"));
const say = (line: string) => process.stdout.write(`${line}\n`);

const mock = createServer((request, response) => {
  void (async () => {
    request.resume();
    response.writeHead(200, { "Content-Type": "audio/wav" });
    response.write(wavHeaderBytes(0));
    for (let piece = 0; piece < 5 && !response.destroyed; piece += 1) {
      response.write(Buffer.alloc(4_800));
      await pause(5);
    }
    response.end();
  })();
});
await new Promise<void>((resolve) => mock.listen(0, "127.0.0.1", resolve));
const mockUrl = `http://127.0.0.1:${(mock.address() as AddressInfo).port}/v1`;

const variables = { PORT: "0", DATA_DIR: folder, CHAT_BASE_URL: mockUrl, SPEECH_MODEL: "mock" };
const service = await runService(variables);
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const { token } = await createAccount(service.url, folder);

const firstByte = async (answer: Promise<Response>): Promise<number> => {
  const startedAt = performance.now();
  const response = await answer;
  if (response.status !== 200) throw new Error(`Status ${response.status}: ${await response.text()}`);
  const reader = response.body?.getReader();
  await reader?.read();
  const milliseconds = performance.now() - startedAt;
  while (reader && !(await reader.read()).done);
  return milliseconds;
};
const direct = () => firstByte(post(`${mockUrl}/audio/speech`, { model: "mock", input: "Hello" }));
const through = () =>
  firstByte(
    post(
      `${service.url}/tasks/audio/speech`,
      { text: "Hello", response_mode: "stream" },
      { Authorization: `Bearer ${token}` },
    ),
  );
for (let warmUp = 0; warmUp < 10; warmUp += 1) await Promise.all([direct(), through()]);
const times: { direct: number[]; through: number[] } = { direct: [], through: [] };
for (let round = 0; round < rounds; round += 1) {
  times.direct.push(await direct());
  times.through.push(await through());
}
await service.stop();
mock.close();
const [directMedian, throughMedian] = [median(times.direct), median(times.through)];
say(
  `first byte of speech, median of ${rounds}: direct ${directMedian.toFixed(1)} ms, through the local service`,
);
say(
  `${throughMedian.toFixed(1)} ms: ${(throughMedian - directMedian).toFixed(1)} ms more, ${(throughMedian / directMedian).toFixed(1)}x`,
);

interface Probe {
  readonly seconds: number;
  readonly milliseconds: number;
  readonly peakMegabytes: number;
}
const probe = (...path: string[]): Probe =>
  JSON.parse(
    execFileSync(process.execPath, [join(import.meta.dirname, "speech/probe.ts"), ...path], {
      encoding: "utf8",
    }),
  );

const sizes = [
  ["14 minutes", 14 * 60, 0],
  ["100 MB", 3 * 60 * 60, 100_000_000],
] as const;
const { peakMegabytes: empty } = probe();
say(`\nduration of a recording; an empty process peaks at ${empty.toFixed(0)} MB`);
say("format      file                  read in   peak memory beyond the empty process");
for (const [format, make] of Object.entries(longFiles)) {
  for (const [name, seconds, bytes] of sizes) {
    const file = join(folder, "recording");
    const content = await make(seconds, bytes);
    await writeFile(file, content);
    const { milliseconds, peakMegabytes } = probe(file);
    const described = `${name}, ${(content.length / 1_000_000).toFixed(0)} MB`;
    say(
      `${format.padEnd(11)} ${described.padEnd(20)} ${milliseconds.toFixed(0).padStart(5)} ms   ${(peakMegabytes - empty).toFixed(0).padStart(4)} MB`,
    );
  }
}
await rm(folder, { recursive: true, force: true });
