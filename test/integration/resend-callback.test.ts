import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CallbackRequest } from "../../shared/recordings/callbacks/callback-queue.ts";
import { createDeliveryLog } from "../../shared/recordings/callbacks/deliveries.ts";
import { transcriptionItem } from "../../shared/recordings/jobs/job.ts";
import { newJobId } from "../../shared/recordings/jobs/jobs-repository.ts";
import {
  type CallbackManagement,
  listCallbacks,
  resendCallback,
} from "../../shared/recordings/jobs/manage-callbacks.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

const userId = 7;
const url = "https://example.org/hook";
const jobOf = (id: string) =>
  transcriptionItem.parse({
    id,
    user_id: userId,
    status: "completed",
    created_at: "2026-11-20T10:00:00.000Z",
    ended_at: "2026-11-20T10:05:00.000Z",
    file_id: "file",
    language: "lug",
    timestamps: true,
    object_key: "uploads/7/file/council.wav",
    object_version: "1",
    facts: {
      container: "wav",
      mediaType: "audio/wav",
      fileExtension: "wav",
      codec: "pcm",
      durationSeconds: 60,
    },
    audio_milliseconds: 60_000,
    day: 20_777,
    expires_at: 4_000_000_000,
    callback_url: url,
  });

let sent: (CallbackRequest & { attempts: number })[];
let isQueueDown: boolean;
beforeEach(() => {
  sent = [];
  isQueueDown = false;
});

/** A job whose callback has had one attempt. */
const start = async (status: "delivered" | "failed" | "pending") => {
  const jobId = newJobId(Date.now());
  const deliveries = createDeliveryLog(table.openForRequests());
  const request = { url, event: "job.completed" } as const;
  await deliveries.add(userId, jobId, { at: "2026-11-20T10:06:00.000Z", status_code: 503 }, status, request);
  const dependencies: CallbackManagement = {
    callbackSecrets: { current: () => Promise.reject(new Error("No secret must be read.")) },
    deliveries,
    callbackRules: { allowLoopback: false },
    callbacks: {
      send: () => Promise.reject(new Error("The queue would drop this.")),
      sendAgain: async (given, attempts) => {
        if (isQueueDown) throw new Error("SQS does not respond.");
        sent.push({ ...given, attempts });
      },
    },
    jobs: { find: async () => jobOf(jobId) },
  };
  return { name: { userId, jobId }, dependencies };
};

describe("A callback", () => {
  it.each(["delivered", "failed"] as const)(
    "that was %s is queued again once, and then pending",
    async (status) => {
      const { name, dependencies } = await start(status);
      expect(await resendCallback(name, dependencies)).toMatchObject({
        id: name.jobId,
        status: "pending",
        url,
      });
      expect(sent).toMatchObject([
        { ...name, url, event: "job.completed", attempts: 1, data: { status: "completed" } },
      ]);
      await expect(resendCallback(name, dependencies)).rejects.toMatchObject({ code: "callback_pending" });
      expect((await listCallbacks(userId, dependencies))[0]).toMatchObject({
        id: name.jobId,
        status: "pending",
      });
      expect(sent).toHaveLength(1);
    },
  );

  it("that is still being delivered is not queued again", async () => {
    const { name, dependencies } = await start("pending");
    await expect(resendCallback(name, dependencies)).rejects.toMatchObject({ code: "callback_pending" });
    expect(sent).toEqual([]);
  });

  it("keeps its state when the queue does not respond, so that it can be sent again", async () => {
    const { name, dependencies } = await start("failed");
    isQueueDown = true;
    await expect(resendCallback(name, dependencies)).rejects.toThrow("SQS does not respond.");
    isQueueDown = false;
    expect(await resendCallback(name, dependencies)).toMatchObject({ status: "pending" });
  });

  it("without a URL, or of an unknown job, cannot be sent", async () => {
    const { name, dependencies } = await start("failed");
    const without = { ...jobOf(name.jobId), callback_url: undefined };
    for (const found of [without, undefined]) {
      const jobs = { find: async () => found };
      await expect(resendCallback(name, { ...dependencies, jobs })).rejects.toMatchObject({
        code: "not_found",
      });
    }
  });
});
