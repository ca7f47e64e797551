import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../support/api-client.ts";
import { processesOf, type RunningService, runService } from "../support/run-service.ts";
import {
  type Listener,
  recordWords,
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

const { send, createAccount, startJob } = new ApiClient(() => service.url);
const fields = { type: "transcription", language: "eng", timestamps: true };

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
      const [{ token: radio }, { token: clinic }] = [await createAccount(), await createAccount()];
      const { port } = receiver.address() as AddressInfo;
      const { secret } = await send("/auth/webhook-secret", { token: radio });
      const callback_url = `http://127.0.0.1:${port}/told`;
      const { id } = await startJob(long.wav, { ...fields, callback_url }, { token: radio });
      const { id: other } = await startJob(short.wav, fields, { token: clinic });

      const ended: string[] = [];
      let killed = 0;
      let restarts = 0;
      for (let turn = 0; ended.length < 2; turn += 1) {
        await sleep(1_000);
        for (const [name, token] of [
          [id, radio],
          [other, clinic],
        ] as const) {
          const { status, error } = await send(`/tasks/jobs/${name}`, { token });
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
      const result = await send(`/tasks/jobs/${id}/result`, { token: radio });
      expect(result.duration_seconds).toBe(seconds);
      expect(result.text.split(" ")).toEqual(long.words);
      const times: { start: number; end: number; text: string }[] = result.segments;
      expect(times.map(({ text }) => text).join(" ")).toBe(result.text);
      expect(times.filter(({ start }, index) => start < (times[index - 1]?.start ?? 0))).toEqual([]);
      expect(times.at(-1)?.end).toBeGreaterThan(seconds - 10);
      expect((await send(`/tasks/jobs/${other}/result`, { token: clinic })).text.split(" ")).toEqual(
        short.words,
      );

      // Nineteen pieces of nine and a half minutes, and one; those of killed processes are transcribed again.
      expect(listener.calls()).toBeLessThan(20 + 4 + 6 + 1);
      const usage = await send("/auth/usage", { token: radio });
      expect(JSON.stringify(usage)).toContain(`"audio_seconds":${seconds}`);

      while (deliveries.length === 0) await sleep(200);
      const [callback] = deliveries;
      expect(new Webhook(secret).verify(callback?.body ?? "", callback?.headers ?? {})).toMatchObject({
        type: "job.completed",
        data: { id, status: "completed", progress: { done: seconds, total: seconds } },
      });
      expect((await send(`/tasks/jobs/${id}`, { token: radio })).callback).toMatchObject({
        status: "delivered",
        deliveries: [{ status_code: 204 }],
      });
      expect(new Set(deliveries.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    },
    600_000,
  );
});
