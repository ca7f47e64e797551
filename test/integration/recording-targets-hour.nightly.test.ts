import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { ApiClient } from "../support/api-client.ts";
import { heardInOpus } from "../support/heard-spans.ts";
import { processesOf, type RunningService, runService } from "../support/run-service.ts";
import {
  type Listener,
  recordWords,
  speakWords,
  startListener,
  type Voice,
} from "../support/spoken-words.ts";

const seconds = 60 * 60;
const wordsOfSegment = 6;

let folder: string;
let voice: Voice;
let listener: Listener;
let translator: Server;
let service: RunningService;

const chatRequest = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) });

/** What the translation model makes of a text: as many words, which say in which language they are. */
const translated = (text: string, language: string): string =>
  language === "English"
    ? text.toUpperCase()
    : text
        .split(" ")
        .map(() => "kale")
        .join(" ");

const startTranslator = (): Server =>
  createServer((request, response) => {
    void json(request).then(async (body) => {
      const content = chatRequest.parse(body).messages.at(-1)?.content ?? "";
      const [, language = "", text = ""] = /^Translate from Acholi to (\w+): ([\s\S]*)$/.exec(content) ?? [];
      await sleep(20);
      const message = { role: "assistant", content: translated(text, language) };
      const choices = [{ index: 0, finish_reason: "stop", message }];
      response
        .writeHead(200, { "Content-Type": "application/json" })
        .end(JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "m", choices }));
    });
  });

const start = () =>
  runService({
    PORT: "0",
    DATA_DIR: folder,
    TRANSCRIPTION_BASE_URL: listener.baseUrl,
    TRANSLATION_BASE_URL: `http://127.0.0.1:${(translator.address() as AddressInfo).port}/v1`,
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-targets-"));
  voice = await speakWords();
  listener = await startListener(voice, 2_000, wordsOfSegment);
  translator = startTranslator();
  await new Promise<void>((resolve) => translator.listen(0, "127.0.0.1", resolve));
  service = await start();
}, 300_000);

afterAll(async () => {
  await service.stop();
  await listener.close();
  translator.closeAllConnections();
  translator.close();
  await rm(folder, { recursive: true, force: true });
});

const { request, send, createAccount, startJob } = new ApiClient(() => service.url);
const fields = {
  type: "transcription",
  language: "ach",
  timestamps: true,
  targets: [
    { language: "eng", format: "srt" },
    { language: "lug", format: "audio" },
  ],
};

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended without a signal.
  }
};

/** Kills workers in each stage, and the whole service once. @returns the stages in which a worker was killed. */
const killUntilOver = async (id: string, token: string): Promise<string[]> => {
  const killedIn: string[] = [];
  for (let turn = 0, restarts = 0; ; turn += 1) {
    await sleep(500);
    const { status, stage, error } = await send(`/tasks/jobs/${id}`, { token });
    expect(error).toBeNull();
    if (status === "completed") return killedIn;
    const [victim] = stage === null ? [] : processesOf(service, "job-worker");
    if (victim && turn % 3 === 0 && killedIn.filter((name) => name === stage.name).length < 2) {
      kill(victim);
      killedIn.push(stage.name);
    }
    if (stage?.name === "translating" && restarts === 0) {
      restarts += 1;
      await service.stop("SIGKILL");
      service = await start();
    }
  }
};

const timesOf = (subtitles: string): string[] => subtitles.match(/^\d.* --> .*$/gm) ?? [];

const inSeconds = (time: string): number => {
  const [hours = 0, minutes = 0, rest = 0] = time.replace(",", ".").split(":").map(Number);
  return hours * 3_600 + minutes * 60 + rest;
};

describe("An hour of Acholi", () => {
  // Finding a function's processes needs /proc.
  it.skipIf(process.platform !== "linux")(
    "becomes English subtitles and Luganda speech at the same times, while processes are killed",
    async () => {
      const { wav, words } = recordWords(voice, seconds, 3);
      const { token } = await createAccount();
      const created = await startJob(wav, fields, { token });
      expect(created.estimate).toMatchObject({ characters: 2 * seconds * 20, seconds: expect.any(Number) });
      const killedIn = await killUntilOver(created.id, token);
      expect(new Set(killedIn)).toEqual(new Set(["transcribing", "translating", "speaking"]));

      const address = `/tasks/jobs/${created.id}/result`;
      const transcript = await send(address, { token });
      expect(transcript.text.split(" ")).toEqual(words);
      const english = await send(`${address}?language=eng&format=srt`, { token });
      const own = await send(`${address}?format=srt`, { token });
      expect(timesOf(english)).toEqual(timesOf(own));
      const cues = timesOf(english).map((line) => line.split(" --> ").map(inSeconds));
      expect(cues.length).toBeGreaterThan(500);
      expect(cues.filter(([from = 0], index) => from < (cues[index - 1]?.[1] ?? 0))).toEqual([]);
      const said = english
        .split("\n")
        .filter((line: string) => /[A-Z]/.test(line))
        .join(" ");
      expect(said.split(" ")).toEqual(words.map((word) => word.toUpperCase()));

      const luganda = await send(`${address}?language=lug`, { token });
      const times = (result: { segments: { start: number; end: number }[] }) =>
        result.segments.map(({ start, end }) => [start, end]);
      expect(times(luganda)).toEqual(times(transcript));
      const speeds = luganda.segments.map(({ speech }: { speech: { speed: number } }) => speech.speed);
      expect(Math.max(...speeds)).toBeLessThanOrEqual(1.25);

      const audio = await request(`${address}?language=lug&format=audio`, { token });
      expect(audio.headers.get("content-type")).toBe("audio/ogg; codecs=opus");
      const file = new Uint8Array(await audio.arrayBuffer());
      const heard = await heardInOpus(file, { threshold: 0.006, pause: 0.03 });
      expect(heard.seconds).toBeCloseTo(seconds, 2);
      const late = luganda.segments.filter(
        ({ start: at }: { start: number }) => !heard.spans.some(([from]) => Math.abs(from - at) < 0.05),
      );
      expect(late).toEqual([]);

      const { characters_this_month: counted } = await send("/auth/usage", { token });
      const spoken = transcript.segments.reduce(
        (sum: number, { text }: { text: string }) => sum + text.length,
        0,
      );
      expect(counted.used).toBe(2 * spoken);
    },
    900_000,
  );
});
