import type { AccountPolicies } from "../../shared/accounts/limits/policies.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { TableWrite } from "../../shared/platform/storage/table.ts";
import { hasTranscript, type StoredJob } from "../../shared/recordings/jobs/job.ts";
import type { JobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";

export interface OperateDependencies {
  readonly jobs: Pick<JobsRepository, "cancel" | "read" | "retry">;
  readonly queue: JobQueue;
  readonly store: Pick<ObjectStore, "describe">;
  readonly policyOf: AccountPolicies;
}

/**
 * Cancels a job for an operator. Its owner sees why, and gets a callback; what was not done is refunded.
 *
 * @param record written together with the end.
 * @returns whether this call has ended it.
 */
export const cancelJob = async (
  name: JobName,
  record: TableWrite,
  { jobs, queue }: OperateDependencies,
): Promise<boolean> => {
  // Before the write, as with a deletion: the worker waits for the write, so no end is forgotten.
  await queue.send({ kind: "end", ...name });
  return jobs.cancel(name, record);
};

/** Whether what the job works on still exists: its copy or, for jobs of older versions, the upload. A transcript needs neither. */
const hasSource = async (name: JobName, job: StoredJob, { store }: OperateDependencies): Promise<boolean> =>
  (job.type === "transcription" && hasTranscript(job)) ||
  (await store.describe(jobObjects.recording(name))) !== undefined ||
  (await store.describe(job.object_key)) !== undefined;

/**
 * Queues a failed job again. It continues with the pieces that are not done, which count on the account's month again.
 *
 * @param record written together with the change.
 * @returns `not-failed` also when the worker has not finished the end of the job yet.
 * @throws AppError `quota_exceeded`; `unauthenticated` when the account is gone.
 */
export const retryJob = async (
  name: JobName,
  record: TableWrite,
  dependencies: OperateDependencies,
): Promise<"retried" | "not-failed" | "source-gone"> => {
  const { jobs, queue, policyOf } = dependencies;
  const job = await jobs.read(name);
  if (job?.status !== "failed" || job.is_deleted || !job.is_settled) return "not-failed";
  if (!(await hasSource(name, job, dependencies))) return "source-gone";
  // Before the write: the worker waits until the job has this number, so a crash in between leaves no job without a worker.
  await queue.send({ kind: "plan", ...name, retries: job.retries + 1 });
  return (await jobs.retry(job, record, policyOf)) ? "retried" : "not-failed";
};
