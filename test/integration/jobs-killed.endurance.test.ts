import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processesOf, type RunningService, runService } from "../support/run-service.ts";
import {
  type Listener,
  recordWords,
  type SpokenRecording,
  speakWords,
  startListener,
  type Voice,
} from "../support/spoken-words.ts";

let folder: string;
let voice: Voice;
let listener: Listener;
let service: RunningService;

const start = () =>
  runService({
    PORT: "0",
    DATA_DIR: folder,
    TRANSCRIPTION_BASE_URL: listener.baseUrl,
    CALLBACKS_ALLOW_LOOPBACK: "1",
  });

/** Everything that a receiver of callbacks got. */
const deliveries: { readonly headers: Record<string, string>; readonly body: string }[] = [];
let receiver: Server;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-jobs-"));
  voice = await speakWords();
  listener = await startListener(voice, 4_000);
  receiver = createServer((request, response) => {
    void text(request).then((body) => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      deliveries.push({ headers, body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  service = await start();
}, 300_000);

afterAll(async () => {
  await service.stop();
  await listener.close();
  receiver.closeAllConnections();
  receiver.close();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

const send = async (path: string, token: string | undefined, body?: object | URLSearchParams) => {
  const isJson = body !== undefined && !(body instanceof URLSearchParams);
  const response = await fetch(path.startsWith("http") ? path : service.url + path, {
    method: body ? "POST" : "GET",
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(isJson ? { "Content-Type": "application/json" } : {}),
    },
    ...(body ? { body: isJson ? JSON.stringify(body) : body } : {}),
  });
  const text = await response.text();
  expect(response.ok, `${path}: ${response.status} ${text}`).toBe(true);
  return JSON.parse(text);
};

const signUp = async (username: string): Promise<string> => {
  const password = "seven storks by the lake";
  await send("/auth/register", undefined, { username, email: `${username}@example.com`, password });
  return (await send("/auth/token", undefined, new URLSearchParams({ username, password }))).access_token;
};

const startJob = async (token: string, { wav }: SpokenRecording, callback?: string): Promise<string> => {
  const upload = await send("/tasks/generate-upload-url", token, {
    file_name: "recording.wav",
    content_type: "audio/wav",
    size: wav.length,
  });
  const stored = await fetch(upload.upload_url, {
    method: "PUT",
    headers: { "Content-Type": "audio/wav" },
    body: new Blob([new Uint8Array(wav)]),
  });
  expect(stored.status).toBe(200);
  const job = await send("/tasks/jobs", token, {
    type: "transcription",
    file_id: upload.file_id,
    language: "eng",
    timestamps: true,
    ...(callback ? { callback_url: callback } : {}),
  });
  return job.id;
};

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended without a signal.
  }
};

describe("A recording of three hours", () => {
  // Finding a function's processes needs /proc.
  it.skipIf(process.platform !== "linux")(
    "comes back whole, in order, with no word lost or doubled, while processes are killed",
    async () => {
      const seconds = 3 * 60 * 60;
      const long = recordWords(voice, seconds, 1);
      const short = recordWords(voice, 180, 2);
      expect(long.words.length).toBeGreaterThan(5_000);
      const [radio, clinic] = [await signUp("radio"), await signUp("clinic")];
      const { port } = receiver.address() as AddressInfo;
      const { secret } = await send("/auth/webhook-secret", radio);
      const id = await startJob(radio, long, `http://127.0.0.1:${port}/told`);
      const other = await startJob(clinic, short);

      const ended: string[] = [];
      let killed = 0;
      let restarts = 0;
      for (let turn = 0; ended.length < 2; turn += 1) {
        await sleep(1_000);
        for (const [name, token] of [
          [id, radio],
          [other, clinic],
        ] as const) {
          const { status, error } = await send(`/tasks/jobs/${name}`, token);
          expect(error).toBeNull();
          if (status === "completed" && !ended.includes(name)) ended.push(name);
        }
        if (turn % 3 === 1 && killed < 4) {
          const [victim] = processesOf(service, "job-worker");
          if (victim) {
            kill(victim);
            killed += 1;
          }
        }
        if (turn === 6) {
          await service.stop("SIGKILL");
          service = await start();
          restarts += 1;
        }
      }

      expect({ killed, restarts }).toEqual({ killed: 4, restarts: 1 });
      // Two pieces of minutes do not wait for nineteen of another account.
      expect(ended).toEqual([other, id]);
      const result = await send(`/tasks/jobs/${id}/result`, radio);
      expect(result.duration_seconds).toBe(seconds);
      expect(result.text.split(" ")).toEqual(long.words);
      const times: { start: number; end: number; text: string }[] = result.segments;
      expect(times.map(({ text }) => text).join(" ")).toBe(result.text);
      expect(times.filter(({ start }, index) => start < (times[index - 1]?.start ?? 0))).toEqual([]);
      expect(times.at(-1)?.end).toBeGreaterThan(seconds - 10);
      expect((await send(`/tasks/jobs/${other}/result`, clinic)).text.split(" ")).toEqual(short.words);

      // Nineteen pieces of nine and a half minutes, and one; those of killed processes are transcribed again.
      expect(listener.calls()).toBeLessThan(20 + 4 + 6 + 1);
      const usage = await send("/auth/usage", radio);
      expect(JSON.stringify(usage)).toContain(`"audio_seconds":${seconds}`);

      while (deliveries.length === 0) await sleep(200);
      const [callback] = deliveries;
      expect(new Webhook(secret).verify(callback?.body ?? "", callback?.headers ?? {})).toMatchObject({
        type: "job.completed",
        data: { id, status: "completed", progress: { done: seconds, total: seconds } },
      });
      expect((await send(`/tasks/jobs/${id}`, radio)).callback).toMatchObject({
        status: "delivered",
        deliveries: [{ status_code: 204 }],
      });
      expect(new Set(deliveries.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    },
    600_000,
  );
});
