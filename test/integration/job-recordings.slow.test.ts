import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createJob } from "../../functions/jobs/create-job.ts";
import { accountPoliciesWith } from "../../shared/accounts/limits/policies.ts";
import { deleteJob } from "../../shared/recordings/jobs/delete-job.ts";
import { jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { makeWav } from "../fixtures/audio/make-wav.ts";
import { openJobWorks } from "../support/job-works.ts";
import { startTestBucket, type TestBucket } from "../support/test-bucket.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";
import { unsureDetector } from "../support/unsure-detector.ts";

let testTable: TestTable;
let bucket: TestBucket;
beforeAll(async () => {
  [testTable, bucket] = await Promise.all([startTestTable(), startTestBucket()]);
});
afterAll(async () => {
  await Promise.all([testTable.close(), bucket.close()]);
});

const fileId = "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69";
const upload = `uploads/${fileId}/market day.wav`;

/** A job for a recording, as the API creates it; then the upload expires. */
const createdJob = async (seconds: number, speed?: number) => {
  const table = testTable.open();
  const works = openJobWorks({
    table,
    store: bucket.store,
    model: async () => ({ text: "Oli otya?", segments: [] }),
  });
  const userId = await createTestAccount(table);
  await bucket.store.put(upload, makeWav({ seconds, sampleRate: 1_000 }), { contentType: "audio/wav" });
  const request = {
    type: "transcription",
    file_id: fileId,
    language: "lug",
    timestamps: false,
    speakers: false,
  } as const;
  const created = createJob(request, { userId, keyId: undefined }, new AbortController().signal, {
    jobs: works.jobs,
    sourceDetector: unsureDetector,
    queue: { send: works.queue.send, count: async () => works.queue.waiting.length },
    speeds: {
      transcription: { read: async () => speed },
      translation: { read: async () => speed },
      speech: { read: async () => speed },
    },
    piecesAtOnce: 2,
    store: bucket.store,
    uploads: { find: async () => ({ objectKey: upload, contentType: "audio/wav", userId, size: 1_000_000 }) },
    policyOf: accountPoliciesWith(1),
    callbackSecrets: { current: () => Promise.reject(new Error("There is no callback.")) },
    callbackRules: { allowLoopback: false },
    detectsLanguages: false,
    distinguishesSpeakers: true,
  });
  await Promise.allSettled([created]);
  await bucket.store.delete(upload);
  return { works, userId, creation: created };
};

const storedOf = async (userId: number) => {
  const objects: string[] = [];
  for await (const object of bucket.store.list(`jobs/${userId}/`)) objects.push(object.name);
  return objects;
};

describe("the recording of a job", () => {
  it("stays until the job is completed, longer than its upload, and no longer", async () => {
    const { works, userId, creation } = await createdJob(900);
    const { id: jobId } = await creation;
    const name = { userId, jobId };
    expect(await bucket.read(upload)).toBeUndefined();
    expect(await storedOf(userId)).toEqual([jobObjects.recording(name)]);
    await works.work();
    expect(await works.jobs.find(name)).toMatchObject({ status: "completed" });
    expect(await storedOf(userId)).not.toContain(jobObjects.recording(name));
  });

  it("is deleted with its job", async () => {
    const { works, userId, creation } = await createdJob(900);
    const { id: jobId } = await creation;
    await deleteJob({ userId, jobId }, works);
    await works.work();
    expect(await storedOf(userId)).toEqual([]);
  });

  it("is not copied for a job that is refused because of the time it would take", async () => {
    const { works, userId, creation } = await createdJob(900, 0.01);
    await expect(creation).rejects.toMatchObject({
      code: "queue_full",
      extra: { estimated_seconds: 90_000 },
    });
    expect(await storedOf(userId)).toEqual([]);
    expect(works.queue.waiting).toEqual([]);
  });
});
