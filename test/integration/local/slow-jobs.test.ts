import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../../support/api-client.ts";
import { type FakeBackend, responding, startFakeBackend } from "../../support/fake-backend.ts";
import { everySecond, hearSeconds, numberedRecording } from "../../support/numbered-recording.ts";
import { type RunningService, runService } from "../../support/run-service.ts";

/** Every time of a deployed stage is this many times longer. */
const scale = 100;

/** How many seconds of a recording the model transcribes in a second. */
const speed = 1.2;

/** Hears a recording as slowly as the model, and notes the length of each that it was sent. */
const slowModel = async () => {
  const backend = await startFakeBackend();
  const lengths: number[] = [];
  backend.behave((response, request) => {
    const heard = hearSeconds(backend.received.at(-1)?.bytes ?? Buffer.alloc(0));
    backend.received.length = 0;
    lengths.push(heard.seconds);
    setTimeout(() => responding(200, heard)(response, request), (heard.seconds / speed / scale) * 1_000);
  });
  return { ...backend, lengths };
};

let folder: string;
let model: FakeBackend & { readonly lengths: readonly number[] };
let service: RunningService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-slow-jobs-"));
  model = await slowModel();
  service = await runService({
    PORT: "0",
    DATA_DIR: folder,
    TRANSCRIPTION_BASE_URL: model.baseUrl,
    // 240 seconds by default.
    TRANSCRIPTION_TIMEOUT_MS: String(240_000 / scale),
    JOB_FAILS_AFTER_SECONDS: String(600 / scale),
    JOB_PIECES_AT_ONCE: "6",
  });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

const { send, createAccount, startJob, whenOver } = new ApiClient(() => service.url);

describe("a recording of three hours, by a model that is slower than its time for a piece", () => {
  it("is transcribed in shorter parts, each word once", { timeout: 300_000 }, async () => {
    const seconds = 3 * 60 * 60;
    const { token } = await createAccount();
    const fields = { type: "transcription", language: "lug", timestamps: true };
    const { id } = await startJob(numberedRecording(seconds), fields, { token });
    expect((await whenOver(id, token)).body).toMatchObject({
      status: "completed",
      progress: { done: seconds, total: seconds },
    });
    const { text, segments } = await send(`/tasks/jobs/${id}/result`, { token });
    expect(text.split(" ")).toEqual(everySecond(seconds));
    expect(segments).toHaveLength(seconds);
    expect(Math.floor(segments[7_123].start)).toBe(7_123);
    // Only the slots' first pieces run out of time; the job then sends no piece of that length again.
    const tooLong = model.lengths.filter((length) => length > 290);
    expect(tooLong.length).toBeLessThanOrEqual(3);
  });
});
