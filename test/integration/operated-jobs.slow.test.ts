import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cancelJob, retryJob } from "../../functions/operators/operate-job.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { accountCounters } from "../../shared/accounts/limits/keys.ts";
import { accountPoliciesWith } from "../../shared/accounts/limits/policies.ts";
import { windowsAt } from "../../shared/accounts/limits/windows.ts";
import { createAuditLog, type OperatorAct } from "../../shared/accounts/operators/audit-log.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { BackendRefusal } from "../../shared/platform/outbound/failures.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { deleteJob } from "../../shared/recordings/jobs/delete-job.ts";
import { readTranscript } from "../../shared/recordings/jobs/job-objects.ts";
import { type JobList, type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { eraseAccount } from "../../shared/wiring/erase-account.ts";
import { type FakeModel, openJobWorks, pieceSeconds, sayPiece } from "../support/job-works.ts";
import { startTestBucket, type TestBucket } from "../support/test-bucket.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

let testTable: TestTable;
let bucket: TestBucket;
let table: Table;
beforeAll(async () => {
  [testTable, bucket] = await Promise.all([startTestTable(), startTestBucket()]);
  table = testTable.open();
});
afterAll(async () => {
  await Promise.all([testTable.close(), bucket.close()]);
});

const callback_url = "https://example.org/jobs";
const refused = new AppError("external_service_error", { cause: new BackendRefusal(400) });

/** Works whose model refuses one piece until it is mended. */
const openWorks = (bad = "recording 1") => {
  let isMended = false;
  const model: FakeModel = (piece, signal) =>
    !isMended && piece === bad ? Promise.reject(refused) : sayPiece(piece, signal);
  const works = openJobWorks({ table, store: bucket.store, model });
  const dependencies = {
    jobs: works.jobs,
    queue: works.queue,
    store: { describe: async (key: string) => (await bucket.store.open(key)) && { size: 1 } },
    policyOf: accountPoliciesWith(1),
  };
  return { works, dependencies, mend: () => (isMended = true) };
};

type Dependencies = Parameters<typeof retryJob>[2];

const recordOf = ({ userId, jobId }: JobName, act: OperatorAct) =>
  createAuditLog(table).recordOf({ command: "amina" }, { act, accountId: userId, detail: jobId });

const retry = (name: JobName, dependencies: object) =>
  retryJob(name, recordOf(name, "retry-job"), dependencies as Dependencies);
const cancel = (name: JobName, dependencies: object) =>
  cancelJob(name, recordOf(name, "cancel-job"), dependencies as Dependencies);

const actsOn = async ({ jobId }: JobName): Promise<string[]> =>
  (await createAuditLog(table).list(1_000)).filter(({ detail }) => detail === jobId).map(({ act }) => act);

const counted = async (userId: number): Promise<number> => {
  const item = (await testTable.read(accountKeys.access(userId))) ?? {};
  return Number(item[accountCounters.audio(windowsAt(Date.now()).month)] ?? 0) / 1_000;
};

const saidIn = (recording: string, pieces: number) =>
  Array.from({ length: pieces }, (_, index) => `said in ${recording} ${index}`).join(" / ");

/** The lists of operators that have a job. */
const listsOf = async ({ jobId }: JobName, { works }: ReturnType<typeof openWorks>): Promise<JobList[]> => {
  const lists: JobList[] = [];
  for (const list of ["open", "failed"] as const) {
    const names = await works.jobs.listAll(list, 1_000, undefined);
    if (names.some((name) => name.jobId === jobId)) lists.push(list);
  }
  return lists;
};

describe("The operators' lists of jobs", () => {
  it("have a job while it waits or runs, and after it failed until it is deleted", async () => {
    const opened = openWorks();
    const { works } = opened;
    const userId = await createTestAccount(table);
    const failed = await works.post(userId, 3);
    const completed = await works.post(userId, 2, { recording: "good" });
    expect([await listsOf(failed, opened), await listsOf(completed, opened)]).toEqual([["open"], ["open"]]);
    await works.work();
    expect([await listsOf(failed, opened), await listsOf(completed, opened)]).toEqual([["failed"], []]);
    await deleteJob(failed, works);
    expect(await listsOf(failed, opened)).toEqual([]);
    await works.work();
    expect(await works.jobs.read(failed)).toBeUndefined();
  });

  it("lose the jobs of an account that is deleted", async () => {
    const opened = openWorks();
    const { works } = opened;
    const userId = await createTestAccount(table);
    const [failed, waiting] = [await works.post(userId, 3), await works.post(userId, 1)];
    await works.work({ killAfter: 8 });
    const last = await works.post(userId, 2);
    const account = await createAccountsRepository(table).find({ id: userId });
    if (!account) throw new Error("The account is missing.");
    await eraseAccount(account, { table, store: bucket.store }, new AbortController().signal);
    for (const name of [failed, waiting, last]) expect(await listsOf(name, opened)).toEqual([]);
  });
});

describe("A failed job that an operator queues again", () => {
  it("continues with what was not done, counts it once more, and calls back once more", async () => {
    const opened = openWorks();
    const { works, dependencies, mend } = opened;
    const userId = await createTestAccount(table);
    const name = await works.post(userId, 4, { callback_url });
    await works.work();
    expect(await counted(userId)).toBe(pieceSeconds);
    mend();
    works.requested.length = 0;
    expect(await retry(name, dependencies)).toBe("retried");
    expect(await counted(userId)).toBe(4 * pieceSeconds);
    expect(await works.jobs.find(name)).toMatchObject({ status: "queued", retries: 1 });
    expect(await listsOf(name, opened)).toEqual(["open"]);
    await works.work();
    expect((await readTranscript(bucket.store, name))?.text).toBe(saidIn("recording", 4));
    expect(works.requested).toEqual(["recording 1", "recording 2", "recording 3"]);
    expect(await counted(userId)).toBe(4 * pieceSeconds);
    expect(works.callbacks.map(({ event, earlierEnds }) => [event, earlierEnds])).toEqual([
      ["job.failed", undefined],
      ["job.completed", 1],
    ]);
    expect(await listsOf(name, opened)).toEqual([]);
    expect(await actsOn(name)).toEqual(["retry-job"]);
    expect(await retry(name, dependencies)).toBe("not-failed");
  });

  it("is refunded again when it fails again", async () => {
    const { works, dependencies } = openWorks();
    const userId = await createTestAccount(table);
    const name = await works.post(userId, 3);
    await works.work();
    for (const retries of [1, 2]) {
      expect(await retry(name, dependencies)).toBe("retried");
      await works.work();
      expect(await works.jobs.find(name)).toMatchObject({ status: "failed", retries });
      expect(await counted(userId)).toBe(pieceSeconds);
    }
  });

  it("stays as it is, with its charge, when the operator's request ends between message and write", async () => {
    const opened = openWorks();
    const { works, dependencies, mend } = opened;
    const userId = await createTestAccount(table);
    const name = await works.post(userId, 3);
    await works.work();
    mend();
    const jobs = { ...works.jobs, retry: () => Promise.reject(new Error("The function was killed.")) };
    await expect(retry(name, { ...dependencies, jobs })).rejects.toThrow("killed");
    // The worker waits for the write for minutes; here they have passed.
    for (const message of works.queue.waiting) Object.assign(message, { sentAt: message.sentAt - 200_000 });
    await works.work();
    expect(await works.jobs.find(name)).toMatchObject({ status: "failed", retries: 0 });
    expect(await counted(userId)).toBe(pieceSeconds);
    expect(await bucket.store.open(jobObjects.plan(name))).toBeDefined();
    expect(await actsOn(name)).toEqual([]);
    expect(await retry(name, dependencies)).toBe("retried");
    await works.work();
    expect(await works.jobs.find(name)).toMatchObject({ status: "completed" });
  });

  it("loses nothing, wherever its worker is killed", async () => {
    const userId = await createTestAccount(table, "Admin");
    let expected = 0;
    for (let calls = 1; ; calls += 1) {
      const opened = openWorks();
      const { works, dependencies, mend } = opened;
      const name = await works.post(userId, 3, { callback_url });
      await works.work();
      mend();
      expect(await retry(name, dependencies)).toBe("retried");
      const { wasKilled } = await works.work({ killAfter: calls });
      expect(await works.jobs.find(name), `killed after ${calls} calls`).toMatchObject({
        status: "completed",
      });
      expect((await readTranscript(bucket.store, name))?.text).toBe(saidIn("recording", 3));
      expected += 3 * pieceSeconds;
      expect(await counted(userId)).toBe(expected);
      expect(new Set(works.callbacks.map(({ event }) => event))).toEqual(
        new Set(["job.failed", "job.completed"]),
      );
      expect(await listsOf(name, opened)).toEqual([]);
      if (wasKilled) continue;
      expect(calls).toBeGreaterThan(15);
      return;
    }
  });

  it("is refused when the month has too little left, and stays failed", async () => {
    const { works, dependencies } = openWorks();
    const userId = await createTestAccount(table);
    const name = await works.post(userId, 3);
    await works.work();
    // 3 hours a month are possible.
    await works.post(userId, 20, { recording: "long" });
    await expect(retry(name, dependencies)).rejects.toMatchObject({ code: "quota_exceeded" });
    expect(await works.jobs.find(name)).toMatchObject({ status: "failed", retries: 0 });
    expect(await actsOn(name)).toEqual([]);
  });

  it("is refused when its recording is gone", async () => {
    const { works, dependencies } = openWorks();
    const name = await works.post(await createTestAccount(table), 3);
    await works.work();
    const store = { describe: async () => undefined };
    expect(await retry(name, { ...dependencies, store })).toBe("source-gone");
    expect(works.queue.waiting).toEqual([]);
  });
});

describe("A job that an operator cancels", () => {
  it("ends with the reason, refunded and reported, and its owner still sees it", async () => {
    const opened = openWorks();
    const { works, dependencies } = opened;
    const userId = await createTestAccount(table);
    const name = await works.post(userId, 3, { callback_url });
    expect(await cancel(name, dependencies)).toBe(true);
    await works.work();
    expect(await works.jobs.find(name)).toMatchObject({
      status: "cancelled",
      is_settled: true,
      error: { code: "cancelled_by_operator" },
    });
    expect(await counted(userId)).toBe(0);
    expect(works.callbacks).toMatchObject([{ event: "job.cancelled" }]);
    expect(works.requested).toEqual([]);
    expect(await listsOf(name, opened)).toEqual([]);
    expect(await actsOn(name)).toEqual(["cancel-job"]);
    expect(await cancel(name, dependencies)).toBe(false);
    expect(await actsOn(name)).toEqual(["cancel-job"]);
  });
});
