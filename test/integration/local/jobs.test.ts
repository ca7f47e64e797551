import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ApiClient, type CallOptions } from "../../support/api-client.ts";
import {
  type Behaviour,
  type FakeBackend,
  responding,
  startFakeBackend,
} from "../../support/fake-backend.ts";
import { everySecond, hearSeconds, numberedRecording } from "../../support/numbered-recording.ts";
import { processesOf, type RunningService, runService } from "../../support/run-service.ts";

let folder: string;
let model: FakeBackend;
let service: RunningService;
let token: string;

const variables = () => ({
  PORT: "0",
  DATA_DIR: folder,
  TRANSCRIPTION_BASE_URL: model.baseUrl,
  JOB_PIECES_AT_ONCE: "4",
  JOB_FAILS_AFTER_SECONDS: "20",
  JOB_WAITS_SECONDS: "60",
});

const client = new ApiClient(() => service.url);
const ask = (path: string, options: CallOptions = {}) => client.call(path, { token, ...options });
const whenOver = async (id: string) => (await client.whenOver(id, token)).body;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-jobs-"));
  model = await startFakeBackend();
  service = await runService(variables());
});
/** An account for each test: its requests of a minute are enough to look after one job. */
beforeEach(async () => {
  ({ token } = await client.createAccount());
});
afterAll(async () => {
  await service.stop();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

const post = async (seconds: number): Promise<string> => {
  const fields = { type: "transcription", language: "lug", timestamps: true };
  return (await client.startJob(numberedRecording(seconds), fields, { token })).id;
};

const hearing =
  (milliseconds: number): Behaviour =>
  (response, request) => {
    const { bytes } = model.received.at(-1) ?? {};
    setTimeout(() => {
      if (bytes) responding(200, hearSeconds(bytes))(response, request);
    }, milliseconds);
  };

describe("a long recording, by the local service", () => {
  // Processes are found through Linux's `/proc`.
  it.skipIf(process.platform !== "linux")(
    "comes back whole, each word once, though its workers are killed, and then the service itself",
    { timeout: 120_000 },
    async () => {
      model.behave(hearing(150));
      const seconds = 8_000;
      const id = await post(seconds);
      let kills = 0;
      for (; kills < 6; kills += 1) {
        // One after the other, while there is something to do for each.
        await expect.poll(() => model.received.length, { timeout: 20_000 }).toBeGreaterThan(2 * kills);
        await expect
          .poll(() => processesOf(service, "job-worker").length, { timeout: 20_000 })
          .toBeGreaterThan(0);
        for (const worker of processesOf(service, "job-worker").slice(0, 1)) process.kill(worker, "SIGKILL");
      }
      expect((await ask(`/tasks/jobs/${id}`)).body.status).toBe("running");
      await service.stop("SIGKILL");
      service = await runService(variables());

      const job = await whenOver(id);
      expect(job).toMatchObject({ status: "completed", progress: { done: seconds, total: seconds } });
      const { body } = await ask(`/tasks/jobs/${id}/result`);
      expect(body.text.split(" ")).toEqual(everySecond(seconds));
      expect(body.segments).toHaveLength(seconds);
      expect(Math.floor(body.segments[7_123].start)).toBe(7_123);
    },
  );

  it("stops at once when it is deleted, and reaches no further model", async () => {
    model.behave(hearing(60_000));
    const id = await post(1_500);
    // Both of the account's slots: a piece about to start when the job is deleted may still start.
    await expect.poll(() => model.received.length, { timeout: 20_000 }).toBe(2);
    expect((await ask(`/tasks/jobs/${id}`, { method: "DELETE" })).status).toBe(204);
    expect((await ask(`/tasks/jobs/${id}`)).status).toBe(404);
    const requested = model.received.length;
    // The account's next job starts as soon as its slots are free again.
    model.behave(hearing(0));
    expect(requested).toBeLessThanOrEqual(2);
    const next = await post(60);
    expect(await whenOver(next)).toMatchObject({ status: "completed" });
    expect(model.received).toHaveLength(1);
  });

  it("waits for a model that is down, and says so", async () => {
    model.behave(responding(503, { error: "Loading model" }));
    const id = await post(60);
    await expect
      .poll(async () => (await ask(`/tasks/jobs/${id}`)).body.waiting, { timeout: 20_000, interval: 1_000 })
      .toContain("unreachable");
    model.behave(hearing(0));
    expect(await whenOver(id)).toMatchObject({ status: "completed", waiting: null });
  });

  it("fails in time when the model fails, with the reason", async () => {
    model.behave(responding(500, { error: "out of memory" }));
    const id = await post(60);
    expect(await whenOver(id)).toMatchObject({
      status: "failed",
      error: { code: "external_service_error", message: "The model's server failed." },
    });
    expect(model.received).toHaveLength(5);
  });
});
