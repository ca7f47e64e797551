/**
 * `npm run bench -- speech`: what the speech and the transcription function cost, compared with a plain proxy; how much later the first byte of speech arrives through the service than from the model's
 * server; when speech in each format can be heard, and what encoding it costs, both with bounds; and the cost of
 * measuring a recording's length, for each format, in a process of its own. Exits with 1 when a bound is exceeded.
 */

import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { readOptions } from "../../infra/command-line.ts";
import { createAccount } from "../load/accounts.ts";
import { runService } from "../support/run-service.ts";
import { audioBytes, wavHeaderBytes } from "../support/wav.ts";
import { chooseCores } from "./compare/gateways.ts";
import { note } from "./compare/note.ts";
import { failedRows, writeTable } from "./compare/verdict.ts";
import { findOthers } from "./quiet-machine.ts";
import { compareAudio, fullAudioPlan, onceAudioPlan } from "./speech/compare-audio.ts";
import { measureEncoding } from "./speech/encoding.ts";
import { longFiles } from "./speech/long-files.ts";
import { median } from "./statistics.ts";

const { once } = readOptions(
  `Usage: npm run bench -- speech [--once]

Compares speech and transcription with a plain proxy, and measures when the first byte of speech arrives, and what encoding it and measuring recordings cost. --once only sees whether it
works: it does little, and judges no bound.`,
  { once: { type: "boolean", default: false } },
);
const others = once ? undefined : await findOthers();
if (others) note(others);
const compared = await compareAudio(chooseCores(), once ? onceAudioPlan : fullAudioPlan);
process.stdout.write(`${writeTable(compared, true, ["speech and transcription", "measured"])}\n\n`);
if (others) process.stdout.write(`${others}\n\n`);
const [warmUps, rounds, furtherSpeeches] = once ? [1, 1, 1] : [10, 60, 5];
const folder = await mkdtemp(join(tmpdir(), "language-ai-bench-"));
const say = (line: string) => process.stdout.write(`${line}\n`);

/** How the model's server is requested to speak as fast as people do, in tenths of a second. */
const inRealTime = "In real time.";
const secondSpokenAt: number[] = [];

const mock = createServer((request, response) => {
  void (async () => {
    const requested = await text(request);
    response.writeHead(200, { "Content-Type": "audio/wav" });
    response.write(wavHeaderBytes(0));
    if (requested.includes(inRealTime)) {
      const second = audioBytes(48_000);
      for (let tenth = 0; tenth < 10; tenth += 1) {
        await pause(100);
        response.write(second.subarray(4_800 * tenth, 4_800 * (tenth + 1)));
      }
      secondSpokenAt.push(performance.now());
      await pause(300);
    }
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

const firstByte = async (received: Promise<Response>): Promise<number> => {
  const startedAt = performance.now();
  const response = await received;
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
for (let warmUp = 0; warmUp < warmUps; warmUp += 1) await Promise.all([direct(), through()]);
const times: { direct: number[]; through: number[] } = { direct: [], through: [] };
for (let round = 0; round < rounds; round += 1) {
  times.direct.push(await direct());
  times.through.push(await through());
}
/** The time from the first second of the model's server to the first audio, in milliseconds. */
const firstAudio = async (format: string): Promise<number> => {
  const response = await post(
    `${service.url}/tasks/audio/speech`,
    { text: inRealTime, response_mode: "stream", audio_format: format },
    { Authorization: `Bearer ${token}` },
  );
  if (response.status !== 200) throw new Error(`Status ${response.status}: ${await response.text()}`);
  const reader = response.body?.getReader();
  let bytes = 0;
  let heardAt = Number.NaN;
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    bytes += next.value.length;
    // A WAV header and the two header pages of Opus are shorter.
    if (Number.isNaN(heardAt) && bytes > 120) heardAt = performance.now();
  }
  return heardAt - (secondSpokenAt.at(-1) ?? Number.NaN);
};
const heard: { format: string; first: number; later: number }[] = [];
for (const format of ["wav", "mp3", "opus"]) {
  const first = await firstAudio(format);
  const others: number[] = [];
  for (let round = 0; round < furtherSpeeches; round += 1) others.push(await firstAudio(format));
  heard.push({ format, first, later: median(others) });
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

const beyond = once ? [] : failedRows(compared).map(({ what }) => what);
/** After the first second of audio; negative, because all formats can be heard before it ends. */
const latestAudio = once ? Number.POSITIVE_INFINITY : 50;
say(
  "\nfirst audio, counted from the model's first second: the very first (which compiles the codec), median of five more",
);
for (const { format, first, later } of heard) {
  say(`${format.padEnd(11)} ${first.toFixed(0).padStart(5)} ms ${later.toFixed(0).padStart(5)} ms`);
  if (!(Math.max(first, later) <= latestAudio))
    beyond.push(`${format} is heard too late; at most ${latestAudio} ms.`);
}

say("\nencoding, by CPU time against packing the same samples with gzip; without that, a second of speech");
for (const { name, ratio, bound, cpuMilliseconds, bytesPerSecond } of await measureEncoding(once ? 1 : 9)) {
  say(
    `${name.padEnd(20)} ${ratio.toFixed(2).padStart(6)}x (at most ${bound}) ${cpuMilliseconds.toFixed(2).padStart(7)} ms ${bytesPerSecond.toFixed(0).padStart(7)} bytes`,
  );
  if (ratio > bound && !once) beyond.push(`${name} costs ${ratio.toFixed(2)}x of gzip; at most ${bound}.`);
}

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

const sizes = once
  ? ([["a minute", 60, 0]] as const)
  : ([
      ["14 minutes", 14 * 60, 0],
      ["100 MB", 3 * 60 * 60, 100_000_000],
    ] as const);
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
if (beyond.length > 0) {
  process.stderr.write(`Beyond their bounds:\n${beyond.join("\n")}\n`);
  process.exitCode = 1;
}
