import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { BackendRefusal, BackendTimeout } from "../../shared/platform/outbound/failures.ts";
import { deleteJob } from "../../shared/recordings/jobs/delete-job.ts";
import { getResult } from "../../shared/recordings/jobs/get-result.ts";
import { toJob } from "../../shared/recordings/jobs/job-view.ts";
import { type JobName, jobKeys, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { eraseAccount } from "../../shared/wiring/erase-account.ts";
import { type FakeModel, pieceSeconds, sayPiece } from "../support/job-works.ts";
import { createTestAccount } from "../support/test-table.ts";
import { saidIn, slowModel, useWorks } from "../support/works-over-stand-ins.ts";

const { standIns, worksWith, counted, textOf } = useWorks();

const callback_url = "https://example.org/jobs";

const objectsOf = async (name: JobName) => {
  const objects: string[] = [];
  for await (const object of standIns().bucket.store.list(jobObjects.folder(name))) objects.push(object.name);
  return objects;
};

const failing =
  (error: unknown, isWrong: (piece: string) => boolean = () => true): FakeModel =>
  (piece, signal) =>
    isWrong(piece) ? Promise.reject(error) : sayPiece(piece, signal);

const broken = new AppError("external_service_error", { message: "The model's server failed." });
const refused = new AppError("external_service_error", { cause: new BackendRefusal(400) });
const down = new AppError("service_unavailable", { cause: new BackendRefusal(503) });

describe("a job", () => {
  it("returns the whole of a recording, in order, and counts its seconds once", async () => {
    const works = worksWith({ slotsPerAccount: 3 });
    const userId = await createTestAccount(standIns().table);
    const name = await works.post(userId, 7, { callback_url });
    expect(await counted(userId)).toEqual({ month: 3_500, usage: 3_500 });
    await works.work({ atOnce: 3 });
    expect(await textOf(name)).toBe(saidIn("recording", 7));
    expect(await works.jobs.find(name)).toMatchObject({ status: "completed", done_milliseconds: 3_500_000 });
    expect(works.requested.toSorted()).toEqual(Array.from({ length: 7 }, (_, index) => `recording ${index}`));
    expect(works.callbacks).toMatchObject([
      { event: "job.completed", url: callback_url, data: { status: "completed", progress: { done: 3_500 } } },
    ]);
    expect(await counted(userId)).toEqual({ month: 3_500, usage: 3_500 });
  });

  it("is the same when every message comes twice", async () => {
    const works = worksWith({ slotsPerAccount: 2 });
    const name = await works.post(await createTestAccount(standIns().table), 4, { callback_url });
    await works.work({ isTwice: true, atOnce: 2 });
    expect(await textOf(name)).toBe(saidIn("recording", 4));
    expect(works.requested).toHaveLength(4);
    expect(works.callbacks).toHaveLength(1);
  });

  it("of one account does not stop that of another", async () => {
    const works = worksWith();
    const [long, short] = [
      await createTestAccount(standIns().table, "Admin"),
      await createTestAccount(standIns().table),
    ];
    await works.post(long, 40, { recording: "ten hours" });
    await works.post(short, 2, { recording: "some minutes" });
    await works.work({ atOnce: 2 });
    const lastOfShort = works.requested.lastIndexOf("some minutes 1");
    expect(works.requested.slice(0, lastOfShort).filter((piece) => piece.startsWith("ten"))).not.toHaveLength(
      0,
    );
    expect(lastOfShort).toBeLessThan(6);
    expect(works.requested).toHaveLength(42);
  });

  it("waits for its account's jobs before it, not for all of another's", async () => {
    const works = worksWith();
    const userId = await createTestAccount(standIns().table);
    await works.post(userId, 2, { recording: "first" });
    await works.post(userId, 2, { recording: "second" });
    await works.work();
    expect(works.requested).toEqual(["first 0", "first 1", "second 0", "second 1"]);
  });

  it("waits when its message comes before its item, and is dropped when the item never comes", async () => {
    const works = worksWith();
    const userId = await createTestAccount(standIns().table);
    const name = { userId, jobId: "019ab0c4-5e5e-7c3a-9f0e-2f1d3c4b5a69" };
    await standIns().bucket.store.put(jobObjects.recording(name), Buffer.from("recording"), {
      contentType: "audio/wav",
    });
    await works.queue.send({ kind: "plan", ...name });
    const { message } = works.queue.waiting[0] ?? {};
    expect(message).toMatchObject(name);
    works.queue.waiting.splice(0, 1, {
      message: { kind: "plan", ...name },
      group: "forgotten",
      sentAt: Date.now() - 151_000,
      visibleAt: 0,
      isTaken: false,
    });
    await works.work();
    expect(await works.jobs.read(name)).toBeUndefined();
    expect(await objectsOf(name)).toEqual([]);
  });
});

describe("a job whose model is slow", () => {
  it("halves its pieces until the model transcribes them in time, all of them after the first timeouts", async () => {
    const works = worksWith({ model: slowModel(100) });
    const name = await works.post(await createTestAccount(standIns().table), 3);
    await works.work();
    expect(works.requested.slice(0, 4)).toEqual([
      "recording 0",
      "recording 0 from 0 to 250",
      "recording 0 from 0 to 125",
      "recording 0 from 0 to 62.5",
    ]);
    expect(works.requested).toHaveLength(3 + 3 * 8);
    expect((await textOf(name))?.split(" / ")).toHaveLength(3 * 8);
    expect(await works.jobs.find(name)).toMatchObject({ status: "completed", max_part_seconds: 62.5 });
  });

  it("measures the model with a minute, shows progress, and sizes the parts that follow", async () => {
    const second = Promise.withResolvers<void>();
    const seen = Promise.withResolvers<void>();
    const model: FakeModel = async (piece, signal) => {
      if (!piece.endsWith("to 60")) {
        second.resolve();
        await seen.promise;
      }
      return sayPiece(piece, signal);
    };
    // No model is this fast.
    const works = worksWith({ model, modelMilliseconds: 0.001 });
    const name = await works.post(await createTestAccount(standIns().table), 2);
    const working = works.work();
    await second.promise;
    const stored = await works.jobs.find(name);
    expect(stored && toJob(stored)).toMatchObject({ progress: { done: 60, total: 1_000 } });
    seen.resolve();
    await working;
    expect(works.requested.slice(0, 3)).toEqual([
      "recording 0 from 0 to 60",
      "recording 0 from 60 to 90",
      "recording 0 from 90 to 120",
    ]);
    expect(works.requested.slice(-1)).toEqual(["recording 1 from 480 to 500"]);
    expect(await works.jobs.find(name)).toMatchObject({ status: "completed", done_milliseconds: 1_000_000 });
  });

  it("transcribes the rest as a whole when the model is fast", async () => {
    const works = worksWith({ modelMilliseconds: 86_400_000 });
    const name = await works.post(await createTestAccount(standIns().table), 2);
    await works.work();
    expect(works.requested).toEqual([
      "recording 0 from 0 to 60",
      "recording 0 from 60 to 500",
      "recording 1",
    ]);
    expect(await works.jobs.find(name)).toMatchObject({ status: "completed" });
  });

  it("starts half of a piece when the server has ended the call for the whole", async () => {
    const events: string[] = [];
    const timeout = new BackendTimeout("slow");
    const wait = async (): Promise<void> => void events.push("ended");
    Object.defineProperty(timeout, "ended", { get: wait });
    const model: FakeModel = async (piece, signal) => {
      events.push(piece);
      if (events.length === 1) throw new AppError("service_unavailable", { cause: timeout });
      return sayPiece(piece, signal);
    };
    const works = worksWith({ model });
    await works.post(await createTestAccount(standIns().table), 1);
    await works.work();
    expect(events.slice(0, 3)).toEqual(["recording 0", "ended", "recording 0 from 0 to 250"]);
  });

  it("continues a piece after its last part when a later part needs a shorter length", async () => {
    const isFast = { value: true };
    const model: FakeModel = (piece, signal) => {
      if (piece.includes("to 250")) isFast.value = false;
      return slowModel(isFast.value || piece.includes("to 250") ? 250 : 125)(piece, signal);
    };
    const works = worksWith({ model });
    const name = await works.post(await createTestAccount(standIns().table), 1);
    await works.work();
    expect(await textOf(name)).toBe(
      ["0 to 250", "250 to 375", "375 to 500"].map((part) => `said in recording 0 from ${part}`).join(" / "),
    );
  });

  it("fails when the model transcribes not even the shortest part in time", async () => {
    const works = worksWith({ model: slowModel(1) });
    const userId = await createTestAccount(standIns().table);
    const name = await works.post(userId, 2);
    await works.work();
    expect(await works.jobs.find(name)).toMatchObject({
      status: "failed",
      error: { code: "service_unavailable" },
    });
    expect(works.requested.at(-1)).toBe("recording 0 from 0 to 31.25");
    expect(await counted(userId)).toEqual({ month: 0, usage: 0 });
  });

  it("leaves nothing behind when it is deleted during a part", async () => {
    const started = Promise.withResolvers<void>();
    const deleted = Promise.withResolvers<void>();
    const model: FakeModel = async (piece, signal) => {
      if (!piece.endsWith("to 250")) return slowModel(250)(piece, signal);
      started.resolve();
      await deleted.promise;
      return sayPiece(piece, signal);
    };
    // The worker does not notice that the job has ended.
    const works = worksWith({ model, watchMilliseconds: 60_000 });
    const name = await works.post(await createTestAccount(standIns().table), 1);
    const working = works.work({ atOnce: 2 });
    await started.promise;
    await deleteJob(name, works);
    await expect.poll(() => works.jobs.read(name), { timeout: 20_000 }).toBeUndefined();
    deleted.resolve();
    await working;
    expect(await objectsOf(name)).toEqual([]);
  });
});

describe("a job that fails", () => {
  it("fails after five attempts at a piece, with the reason; what was transcribed can be read and is charged", async () => {
    const works = worksWith({
      model: failing(broken, (piece) => piece === "recording 2"),
      // The pauses take a third of this; a busy machine has the rest for five attempts.
      timeouts: { failsAfterSeconds: 6, waitsSeconds: 60 },
    });
    const userId = await createTestAccount(standIns().table);
    const name = await works.post(userId, 4, { callback_url });
    await works.work();
    expect(works.requested).toEqual(["recording 0", "recording 1", ...Array(5).fill("recording 2")]);
    const error = { code: "external_service_error", message: "The model's server failed." };
    expect(await works.jobs.find(name)).toMatchObject({ status: "failed", error });
    expect(works.callbacks).toMatchObject([{ event: "job.failed", data: { error } }]);
    expect(await counted(userId)).toEqual({ month: 2 * pieceSeconds, usage: 2 * pieceSeconds });
    const { jobs } = works;
    const ask = (partial: boolean) =>
      getResult(name, { format: "json", partial }, { jobs, store: standIns().bucket.store });
    await expect(ask(false)).rejects.toMatchObject({ code: "job_not_completed", status: 409 });
    expect(await ask(true)).toMatchObject({ duration_seconds: 2_000 });
    expect(JSON.stringify(await ask(true))).toContain("said in recording 1");
  });

  it("fails at once when the model refuses what it is given", async () => {
    const works = worksWith({ model: failing(refused) });
    const userId = await createTestAccount(standIns().table);
    const name = await works.post(userId, 3);
    await works.work();
    expect(works.requested).toHaveLength(1);
    expect(await works.jobs.find(name)).toMatchObject({ status: "failed" });
    expect(await counted(userId)).toEqual({ month: 0, usage: 0 });
  });

  it("does not hold up the next one of its account", async () => {
    const works = worksWith({ model: failing(refused, (piece) => piece.startsWith("bad")) });
    const userId = await createTestAccount(standIns().table);
    await works.post(userId, 3, { recording: "bad" });
    const next = await works.post(userId, 2, { recording: "good" });
    await works.work();
    expect(await textOf(next)).toBe(saidIn("good", 2));
  });

  it("waits while the model is down, says so, and continues when it is back", async () => {
    let isDown = true;
    const model: FakeModel = (piece, signal) => (isDown ? Promise.reject(down) : sayPiece(piece, signal));
    const works = worksWith({ model, timeouts: { failsAfterSeconds: 0.5, waitsSeconds: 20 } });
    const name = await works.post(await createTestAccount(standIns().table), 2);
    const working = works.work();
    await expect.poll(() => works.requested.length, { timeout: 10_000 }).toBeGreaterThan(2);
    const waiting = await works.jobs.find(name);
    expect(waiting).toMatchObject({ status: "running" });
    expect(waiting?.waiting).toContain("unreachable");
    isDown = false;
    await working;
    expect(await textOf(name)).toBe(saidIn("recording", 2));
    expect((await works.jobs.find(name))?.waiting).toBeUndefined();
  });

  it("fails when the model stays down", async () => {
    const works = worksWith({
      model: failing(down),
      timeouts: { failsAfterSeconds: 0.5, waitsSeconds: 0.5 },
    });
    const name = await works.post(await createTestAccount(standIns().table), 2);
    await works.work();
    expect(await works.jobs.find(name)).toMatchObject({ error: { code: "service_unavailable" } });
  });

  it("fails when its upload is gone, or is another one by now", async () => {
    const works = worksWith();
    const userId = await createTestAccount(standIns().table);
    const replaced = await works.post(userId, 2, { recording: "replaced" });
    await standIns().bucket.store.put("uploads/replaced", Buffer.from("longer"), {
      contentType: "audio/wav",
    });
    const gone = await works.post(userId, 2, { recording: "gone" });
    await standIns().bucket.store.delete("uploads/gone");
    await works.work();
    for (const name of [replaced, gone]) {
      expect(await works.jobs.find(name)).toMatchObject({ status: "failed", error: { code: "not_found" } });
    }
    expect(works.requested).toHaveLength(0);
  });

  it("fails when one of its pieces kills every worker", async () => {
    const works = worksWith();
    const name = await works.post(await createTestAccount(standIns().table), 1);
    await works.work({ killAfter: 6 });
    // The state after a worker was killed this often.
    const other = worksWith();
    const poison = await other.post(name.userId, 1, { recording: "poison" });
    other.queue.waiting.length = 0;
    await other.jobs.beginPlanning(poison);
    await other.jobs.start(poison, 1);
    const item = { ...jobKeys.slot(name.userId, 0), job_id: poison.jobId, index: 0, begun: 8 };
    await standIns().testTable.openForRequests().put(item);
    await other.queue.send({ kind: "piece", userId: name.userId, place: 0 });
    await other.work();
    expect(await other.jobs.find(poison)).toMatchObject({ status: "failed", error: { code: "internal" } });
    expect(other.requested).toHaveLength(0);
  });
});

describe("a job that its owner deletes", () => {
  it("stops within seconds, asks no further model, and leaves nothing behind", async () => {
    const stopped = Promise.withResolvers<unknown>();
    const model: FakeModel = (piece, signal) =>
      piece === "recording 1"
        ? new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              stopped.resolve(signal.reason);
              reject(signal.reason);
            });
          })
        : sayPiece(piece, signal);
    const works = worksWith({ model });
    const userId = await createTestAccount(standIns().table);
    const name = await works.post(userId, 4, { callback_url });
    const working = works.work();
    await expect.poll(() => works.requested.length).toBe(2);
    await deleteJob(name, works);
    expect(await works.jobs.find(name)).toBeUndefined();
    await stopped.promise;
    await working;
    expect(works.requested).toEqual(["recording 0", "recording 1"]);
    expect(works.callbacks).toMatchObject([{ event: "job.cancelled", data: { status: "cancelled" } }]);
    expect(await works.jobs.read(name)).toBeUndefined();
    expect(await objectsOf(name)).toEqual([]);
    expect(await counted(userId)).toEqual({ month: pieceSeconds, usage: pieceSeconds });
  });

  it("is deleted once, by any number of requests", async () => {
    const works = worksWith();
    const userId = await createTestAccount(standIns().table);
    const name = await works.post(userId, 3, { callback_url });
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => deleteJob(name, works)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await works.work();
    expect(works.requested).toEqual([]);
    expect(works.callbacks).toHaveLength(1);
    expect(await counted(userId)).toEqual({ month: 0, usage: 0 });
  });

  it("that was completed is cleared away also when the worker is at it before the deletion is written", async () => {
    const works = worksWith();
    const name = await works.post(await createTestAccount(standIns().table), 2);
    await works.work();
    const jobs = {
      ...works.jobs,
      markDeleted: async (which: JobName) => {
        const working = works.work();
        await sleep(50);
        const isDeleted = await works.jobs.markDeleted(which);
        await working;
        return isDeleted;
      },
    };
    await deleteJob(name, { ...works, jobs });
    await works.work();
    expect(await works.jobs.read(name)).toBeUndefined();
    expect(await objectsOf(name)).toEqual([]);
  });

  it("is paid for, and does not call back again, when it was completed", async () => {
    const works = worksWith();
    const userId = await createTestAccount(standIns().table);
    const name = await works.post(userId, 2, { callback_url });
    await works.work();
    await deleteJob(name, works);
    await works.work();
    expect(works.callbacks).toMatchObject([{ event: "job.completed" }]);
    expect(await objectsOf(name)).toEqual([]);
    expect(await counted(userId)).toEqual({ month: 1_000, usage: 1_000 });
  });
});

describe("a job of an account that is disabled", () => {
  it("ends at the next piece, and requests no further model", async () => {
    let isActive = true;
    const model: FakeModel = (piece, signal) => {
      isActive = piece !== "recording 1";
      return sayPiece(piece, signal);
    };
    const works = worksWith({ model, isActive: () => isActive });
    const userId = await createTestAccount(standIns().table);
    const name = await works.post(userId, 4);
    await works.work();
    expect(works.requested).toEqual(["recording 0", "recording 1"]);
    expect(await works.jobs.find(name)).toMatchObject({
      status: "failed",
      error: { code: "forbidden", message: "The account is disabled." },
    });
    expect(await counted(userId)).toEqual({ month: 2 * pieceSeconds, usage: 2 * pieceSeconds });
  });
});

describe("a job of an account that is deleted", () => {
  it("stops, and nothing of it is left", async () => {
    const model: FakeModel = (_piece, signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const works = worksWith({ model });
    const userId = await createTestAccount(standIns().table);
    const over = await works.post(userId, 2, { callback_url });
    const working = works.work();
    await expect.poll(() => works.requested.length).toBe(1);
    const account = await createAccountsRepository(standIns().table).find({ id: userId });
    if (!account) throw new Error("The account has just been made.");
    await eraseAccount(
      account,
      { table: standIns().table, store: standIns().bucket.store },
      new AbortController().signal,
    );
    await working;
    expect(works.requested).toHaveLength(1);
    expect(works.callbacks).toEqual([]);
    expect(
      await standIns().table.query({ partition: jobKeys.ofAccount(userId), attributes: ["PK", "SK"] }),
    ).toEqual([]);
    expect(await objectsOf(over)).toEqual([]);
    await expect(works.post(userId, 1)).rejects.toMatchObject({ code: "unauthenticated" });
  });
});

describe("seconds of recordings in a month", () => {
  it("are counted exactly when many jobs are created at once", async () => {
    const works = worksWith();
    const userId = await createTestAccount(standIns().table);
    // Three hours are 10,800 seconds.
    const requested = Array.from({ length: 8 }, () => works.post(userId, 6));
    const outcomes = await Promise.allSettled(requested);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "quota_exceeded" });
    }
    expect(await counted(userId)).toEqual({ month: 9_000, usage: 9_000 });
    expect(await works.jobs.list(userId, 20, undefined)).toHaveLength(3);
  });

  it("refuse a recording that is too long alone, and know no end for operators", async () => {
    const works = worksWith();
    const userId = await createTestAccount(standIns().table);
    await expect(works.post(userId, 22)).rejects.toMatchObject({
      code: "quota_exceeded",
      message: expect.stringContaining("180 minutes"),
    });
    await works.post(await createTestAccount(standIns().table, "Premium"), 22);
    await works.post(await createTestAccount(standIns().table, "Admin"), 1_000);
  });
});

describe("the list of jobs", () => {
  it("has the newest first, page by page", async () => {
    const works = worksWith();
    const userId = await createTestAccount(standIns().table, "Admin");
    const created: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      created.unshift((await works.post(userId, 1)).jobId);
      await sleep(2);
    }
    const first = await works.jobs.list(userId, 3, undefined);
    const second = await works.jobs.list(userId, 3, first.at(-1)?.id);
    expect([...first, ...second].map(({ id }) => id)).toEqual(created);
  });
});
