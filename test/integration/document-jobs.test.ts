import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { accountCounters } from "../../shared/accounts/limits/keys.ts";
import { countIn } from "../../shared/accounts/limits/limit-counters.ts";
import { accountPoliciesWith } from "../../shared/accounts/limits/policies.ts";
import { windowsAt } from "../../shared/accounts/limits/windows.ts";
import { NoTranslation } from "../../shared/models/inference/translation.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { BackendRefusal } from "../../shared/platform/outbound/failures.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { deleteJob } from "../../shared/recordings/jobs/delete-job.ts";
import { getResult } from "../../shared/recordings/jobs/get-result.ts";
import { putJson } from "../../shared/recordings/jobs/job-objects.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { type JobWorksOptions, openJobWorks } from "../support/job-works.ts";
import { startTestBucket, type TestBucket } from "../support/test-bucket.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

let started: TestTable;
let table: Table;
let bucket: TestBucket;
beforeAll(async () => {
  [started, bucket] = await Promise.all([startTestTable(), startTestBucket()]);
  table = started.open();
});
afterAll(() => Promise.all([started.close(), bucket.close()]));

const worksWith = (options: Partial<JobWorksOptions> = {}) =>
  openJobWorks({ table, store: bucket.store, ...options });

const counted = async (userId: number): Promise<number> => {
  const item = await table.read({ Key: accountKeys.access(userId) });
  return countIn(item ?? {}, accountCounters.characters(windowsAt(Date.now()).month));
};

const resultOf = async (
  name: JobName,
  works: ReturnType<typeof worksWith>,
  partial = false,
): Promise<string> => {
  const result = await getResult(name, { partial }, { jobs: works.jobs, store: bucket.store });
  if (!("contentType" in result)) throw new Error("This is no document.");
  if (!(result.body instanceof Uint8Array)) throw new Error("This is no document.");
  return Buffer.from(result.body).toString();
};

/** Lines with words of their own. */
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `sentence ${"abcdefghij"[index % 10]}${index}.`).join("\n");

/** What the lines count as. */
const lengthOf = (text: string): number => text.split("\n").reduce((sum, line) => sum + line.length, 0);

const refused = new AppError("external_service_error", { cause: new BackendRefusal(400) });

describe("a document", () => {
  it("comes back in its format, with one call for each distinct passage", async () => {
    const works = worksWith({ slotsPerAccount: 3 });
    const userId = await createTestAccount(table);
    const text = `${lines(150)}\n\n${lines(150)}\n`;
    const characters = lengthOf(lines(150));
    const name = await works.postDocument(userId, text, characters, { callback_url: "https://example.org" });
    expect(await counted(userId)).toBe(characters);
    await works.work({ atOnce: 3 });
    expect(await resultOf(name, works)).toBe(text.toUpperCase());
    expect(works.requested.toSorted()).toEqual(lines(150).split("\n").toSorted());
    expect(await counted(userId)).toBe(characters);
    expect(works.callbacks).toMatchObject([
      {
        event: "job.completed",
        data: {
          type: "translation",
          file_name: "leaflet.lug.txt",
          progress: { done: characters, total: characters },
          segments_kept: [],
        },
      },
    ]);
  });

  it("is read once for all of its pieces", async () => {
    let reads = 0;
    const { store } = bucket;
    const open: typeof store.open = async (key) => {
      const found = await store.open(key);
      const read: NonNullable<typeof found>["read"] = (...range) => {
        reads += 1;
        return found?.read(...range) ?? Promise.reject(new Error("It is missing."));
      };
      return found && key.endsWith("/recording") ? { ...found, read } : found;
    };
    const works = worksWith({ store: { ...store, open } });
    const text = lines(150);
    const name = await works.postDocument(await createTestAccount(table), text, lengthOf(text));
    await works.work();
    expect(await resultOf(name, works)).toBe(text.toUpperCase());
    expect(reads).toBe(1);
  });

  it("names what stayed in its own language, and refunds it", async () => {
    const translation = async (text: string) =>
      text.includes("3.") ? `${text}\n(a note)` : text.toUpperCase();
    const works = worksWith({ translation });
    const userId = await createTestAccount(table);
    const text = lines(10);
    const name = await works.postDocument(userId, text, lengthOf(text));
    await works.work();
    expect(await works.jobs.find(name)).toMatchObject({
      status: "completed",
      untranslated: [{ index: 3, reason: "lines_changed" }],
      untranslated_count: 1,
    });
    expect((await resultOf(name, works)).split("\n")[3]).toBe("sentence d3.");
    expect(await counted(userId)).toBe(lengthOf(text) - "sentence d3.".length);
    // It was requested once more.
    expect(works.requested).toHaveLength(11);
  });

  it.each([
    { count: 10, untranslated: 5, status: "completed" },
    { count: 10, untranslated: 6, status: "failed" },
    { count: 3, untranslated: 3, status: "completed" },
    { count: 4, untranslated: 4, status: "failed" },
  ])("of $count segments is $status when $untranslated replies are no translations", async (given) => {
    const text = lines(given.count);
    const refusedLines = new Set(text.split("\n").slice(0, given.untranslated));
    const translation = (line: string) =>
      refusedLines.has(line)
        ? Promise.reject(new NoTranslation("refused"))
        : Promise.resolve(line.toUpperCase());
    const works = worksWith({ translation });
    const userId = await createTestAccount(table);
    const name = await works.postDocument(userId, text, lengthOf(text));
    await works.work();
    const isCompleted = given.status === "completed";
    expect(await works.jobs.find(name)).toMatchObject({
      status: given.status,
      untranslated: Array.from({ length: given.untranslated }, (_, index) => ({ index, reason: "refused" })),
      untranslated_count: given.untranslated,
      ...(isCompleted
        ? {}
        : {
            error: {
              code: "external_service_error",
              message: "Most replies of the model were no translations.",
            },
          }),
    });
    // Two calls for a text at most, for any reasons.
    expect(works.requested).toHaveLength(given.count + given.untranslated);
    const translated = text.split("\n").slice(given.untranslated).join("\n");
    expect(await counted(userId)).toBe(lengthOf(translated));
    expect(await resultOf(name, works, true)).toBe(
      [...refusedLines, ...translated.toUpperCase().split("\n")].join("\n").trim(),
    );
  });

  it("can be read in part after its model has failed, and the rest is refunded", async () => {
    const translation = (text: string) =>
      text.endsWith("100.") ? Promise.reject(refused) : Promise.resolve(text.toUpperCase());
    const works = worksWith({ translation });
    const userId = await createTestAccount(table);
    const text = lines(120);
    const name = await works.postDocument(userId, text, lengthOf(text));
    await works.work();
    expect(await works.jobs.find(name)).toMatchObject({ status: "failed" });
    await expect(resultOf(name, works)).rejects.toMatchObject({ code: "job_not_completed" });
    const partial = (await resultOf(name, works, true)).split("\n");
    const first = lines(60).toUpperCase().split("\n");
    expect(partial.slice(0, 60)).toEqual(first);
    expect(partial.slice(60)).toEqual(text.split("\n").slice(60));
    expect(await counted(userId)).toBe(lengthOf(lines(60)));
  });

  it("leaves nothing behind when its owner deletes it, and is refunded", async () => {
    const works = worksWith();
    const userId = await createTestAccount(table);
    const text = lines(20);
    const name = await works.postDocument(userId, text, lengthOf(text));
    await deleteJob(name, works);
    await works.work();
    expect(await works.jobs.read(name)).toBeUndefined();
    expect(await counted(userId)).toBe(0);
    const left: string[] = [];
    for await (const { name } of bucket.store.list(`jobs/${userId}/`)) left.push(name);
    expect(left).toEqual([]);
  });

  it("is refused when the month's characters are used up", async () => {
    const works = worksWith();
    const userId = await createTestAccount(table);
    await expect(works.postDocument(userId, "Hello", 500_001)).rejects.toMatchObject({
      code: "quota_exceeded",
      message:
        "Lists, documents and translated recordings may have 500000 characters a month for this account; 500000 are left, and this request has 500001.",
    });
    await works.postDocument(userId, "Hello", 499_999);
    await expect(works.postDocument(userId, "Hello", 2)).rejects.toMatchObject({ code: "quota_exceeded" });
  });
});

/** Stores a plan and replies in place of those of a job, as the first version of the readers numbered them: it had other passages. */
const planAsBefore = async (name: JobName): Promise<void> => {
  const pieces = [0, 50, 100].map((from) => ({ from, to: from + 50 }));
  await putJson(bucket.store, jobObjects.plan(name), pieces);
  for (const index of pieces.keys()) {
    const replies = Array.from({ length: 50 }, () => ({ response: "OF ANOTHER PASSAGE" }));
    await putJson(bucket.store, jobObjects.piece(name, index), replies);
  }
};

const retry = async (name: JobName, { jobs, queue }: ReturnType<typeof worksWith>): Promise<void> => {
  const job = await jobs.read(name);
  if (!job) throw new Error("The job is missing.");
  const record = { put: { PK: `TEST#${name.jobId}`, SK: "RETRY" } };
  await queue.send({ kind: "plan", ...name, retries: job.retries + 1 });
  expect(await jobs.retry(job, record, accountPoliciesWith(1))).toBe(true);
};

describe("a document that another version has planned", () => {
  const text = lines(150);

  it.each([12, 14, 16, 18, 20, 22, 24, 26, 28])(
    "while its job ran is translated as if it were new, and counted once, when a worker is killed after %i calls",
    async (killAfter) => {
      let [calls, earlier] = [0, ""];
      const translation = async (line: string) => {
        calls += 1;
        if (calls === 70) {
          earlier = String((await works.jobs.read(name))?.status);
          await planAsBefore(name);
        }
        return line.toUpperCase();
      };
      const works = worksWith({ translation });
      const userId = await createTestAccount(table);
      const name = await works.postDocument(userId, text, lengthOf(text));
      await works.work({ killAfter });
      expect(earlier).toBe("running");
      expect(await resultOf(name, works)).toBe(text.toUpperCase());
      expect(await counted(userId)).toBe(lengthOf(text));
      expect(await works.jobs.read(name)).toMatchObject({
        status: "completed",
        done_characters: lengthOf(text),
      });
    },
  );

  it("is translated as if it were new when its job failed and is queued again", async () => {
    let isMended = false;
    const translation = (line: string) =>
      line.endsWith("100.") && !isMended ? Promise.reject(refused) : Promise.resolve(line.toUpperCase());
    const works = worksWith({ translation });
    const userId = await createTestAccount(table);
    const name = await works.postDocument(userId, text, lengthOf(text));
    await works.work();
    expect(await counted(userId)).toBe(lengthOf(lines(60)));
    await planAsBefore(name);
    expect(await resultOf(name, works, true)).toBe(text);
    await retry(name, works);
    isMended = true;
    expect(await counted(userId)).toBe(lengthOf(text));
    await works.work();
    expect(await resultOf(name, works)).toBe(text.toUpperCase());
    expect(await counted(userId)).toBe(lengthOf(text));
    await works.work();
  });
});
