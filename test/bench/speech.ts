/**
 * `npm run bench -- speech`: what the speech and the transcription function cost, compared with a plain proxy; when speech in each
 * format can be heard, and what encoding it costs, both with bounds. Exits with 1 when a bound is exceeded.
 */

import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { listenOnLoopback } from "../support/loopback-server.ts";
import { audioBytes, wavHeaderBytes } from "../support/wav.ts";
import { type BenchService, Bounds, readOnce, say, withService } from "./bench-service.ts";
import { chooseCores } from "./compare/gateways.ts";
import { note } from "./compare/note.ts";
import { failedRows, writeTable } from "./compare/verdict.ts";
import { findOthers } from "./quiet-machine.ts";
import { compareAudio, fullAudioPlan, onceAudioPlan } from "./speech/compare-audio.ts";
import { measureEncoding } from "./speech/encoding.ts";
import { median } from "./statistics.ts";

const once = readOnce(
  "speech",
  "Compares speech and transcription with a plain proxy, and measures when speech can be heard and what encoding it costs.",
  "it does little, and judges no bound.",
);
const bounds = new Bounds(!once);

const compareWithProxy = async (): Promise<void> => {
  const others = once ? undefined : await findOthers();
  if (others) note(others);
  const rows = await compareAudio(chooseCores(), once ? onceAudioPlan : fullAudioPlan);
  say(`${writeTable(rows, true, ["speech and transcription", "measured"])}\n`);
  if (others) say(`${others}\n`);
  for (const { what } of failedRows(rows)) bounds.fail(what);
};

/** How the model's server is requested to speak as fast as people do, in tenths of a second. */
const inRealTime = "In real time.";
let secondSpokenAt = Number.NaN;

/** Speaks a second in real time, and then goes on. */
const model = await listenOnLoopback(
  createServer((request, response) => {
    void (async () => {
      await text(request);
      response.writeHead(200, { "Content-Type": "audio/wav" });
      response.write(wavHeaderBytes(0));
      const second = audioBytes(48_000);
      for (let tenth = 0; tenth < 10; tenth += 1) {
        await pause(100);
        response.write(second.subarray(4_800 * tenth, 4_800 * (tenth + 1)));
      }
      secondSpokenAt = performance.now();
      await pause(300);
      response.end(Buffer.alloc(24_000));
    })();
  }),
);

/** The time from the first second of the model's server to the first audio, in milliseconds. */
const firstAudio = async ({ api, token }: BenchService, format: string): Promise<number> => {
  const body = { text: inRealTime, response_mode: "stream", audio_format: format };
  const response = await api.request("/tasks/audio/speech", { token, body });
  if (response.status !== 200) throw new Error(`Status ${response.status}: ${await response.text()}`);
  const reader = response.body?.getReader();
  let bytes = 0;
  let heardAt = Number.NaN;
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    bytes += next.value.length;
    // A WAV header and the two header pages of Opus are shorter.
    if (Number.isNaN(heardAt) && bytes > 120) heardAt = performance.now();
  }
  return heardAt - secondSpokenAt;
};

/** After the first second of audio; negative, because all formats can be heard before it ends. */
const latestAudio = 50;

const measureFirstAudio = async (service: BenchService): Promise<void> => {
  say(
    "first audio, counted from the model's first second: the very first (which compiles the codec), median of more",
  );
  for (const format of ["wav", "mp3", "opus"]) {
    const first = await firstAudio(service, format);
    const others: number[] = [];
    for (let round = 0; round < (once ? 1 : 5); round += 1) others.push(await firstAudio(service, format));
    const later = median(others);
    say(`${format.padEnd(11)} ${first.toFixed(0).padStart(5)} ms ${later.toFixed(0).padStart(5)} ms`);
    bounds.expectBelow(`first audio as ${format}`, Math.max(first, later), latestAudio, "ms");
  }
};

await compareWithProxy();
const variables = { CHAT_BASE_URL: `${model.url}/v1`, SPEECH_MODEL: "mock" };
await withService(variables, measureFirstAudio);
await model.close();

say("\nencoding, by CPU time against packing the same samples with gzip; without that, a second of speech");
for (const { name, ratio, bound, cpuMilliseconds, bytesPerSecond } of await measureEncoding(once ? 1 : 9)) {
  say(
    `${name.padEnd(20)} ${ratio.toFixed(2).padStart(6)}x (at most ${bound}) ${cpuMilliseconds.toFixed(2).padStart(7)} ms ${bytesPerSecond.toFixed(0).padStart(7)} bytes`,
  );
  bounds.expectBelow(`CPU of ${name}, to gzip`, ratio, bound);
}
bounds.report();
