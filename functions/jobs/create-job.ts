import type { Caller } from "../../shared/accounts/access/caller.ts";
import type { AccountPolicies } from "../../shared/accounts/limits/policies.ts";
import { ReadingBudget } from "../../shared/audio/reading/reading-budget.ts";
import { invalidField } from "../../shared/platform/errors/app-error.ts";
import { maxUploadBytes, type ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { CallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import { type CallbackRules, callbackUrlProblem } from "../../shared/recordings/callbacks/callback-url.ts";
import { type Job, toJob } from "../../shared/recordings/jobs/job.ts";
import { enqueue, type JobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { type JobsRepository, newJobId } from "../../shared/recordings/jobs/jobs-repository.ts";
import { jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { openUpload, type RecordingDependencies } from "../../shared/recordings/uploads/open-upload.ts";
import type { JobRequest } from "./contract.ts";
import { type CapacityDependencies, requireCapacity } from "./require-capacity.ts";

export interface CreateDependencies extends RecordingDependencies, CapacityDependencies {
  readonly jobs: Pick<JobsRepository, "create" | "list">;
  readonly queue: JobQueue & CapacityDependencies["queue"];
  readonly store: RecordingDependencies["store"] & Pick<ObjectStore, "copy">;
  readonly policyOf: AccountPolicies;
  readonly callbackSecrets: Pick<CallbackSecrets, "current">;
  readonly callbackRules: CallbackRules;
}

/** @throws ValidationError for a URL that callbacks may not call. */
const checkCallbackUrl = (url: string | null | undefined, rules: CallbackRules): void => {
  const problem = typeof url === "string" ? callbackUrlProblem(url, rules) : undefined;
  if (problem !== undefined) throw invalidField(["body", "callback_url"], problem);
};

/**
 * Creates a job: measures its recording, copies it to where it stays until the job ends, and counts it on the account's month.
 * When the job is not written, the worker removes the copy.
 *
 * @throws ValidationError when the upload is not audio, or callbacks may not call the URL; AppError `not_found`,
 * `unreadable_audio`, `payload_too_large`, `queue_full`, `quota_exceeded`; the errors of store and queue.
 */
export const createJob = async (
  request: JobRequest,
  { userId, keyId }: Pick<Caller, "userId" | "keyId">,
  signal: AbortSignal,
  dependencies: CreateDependencies,
): Promise<Job> => {
  const { jobs, queue, store, policyOf, callbackSecrets, callbackRules } = dependencies;
  const { callback_url: callbackUrl } = request;
  checkCallbackUrl(callbackUrl, callbackRules);
  const options = { maxBytes: maxUploadBytes, budget: ReadingBudget.forBackgroundWork() };
  const {
    source: _,
    stored,
    ...facts
  } = await openUpload(request.file_id, { userId, signal }, dependencies, options);
  await requireCapacity(userId, facts.durationSeconds, dependencies);
  // Creates the signing secret if the account has none yet.
  if (callbackUrl) await callbackSecrets.current(userId);
  const name = { userId, jobId: newJobId(Date.now()) };
  const newJob = {
    file_id: request.file_id,
    language: request.language,
    timestamps: request.timestamps,
    callback_url: callbackUrl ?? undefined,
    key_id: keyId,
    object_key: stored.key,
    object_version: stored.version,
    facts,
  };
  const job = await enqueue(name, queue, async () => {
    await store.copy(stored, jobObjects.recording(name));
    return jobs.create(name, newJob, policyOf);
  });
  return toJob(job);
};
