import { setTimeout as sleep } from "node:timers/promises";
import type { AccountPolicies } from "../../accounts/limits/policies.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { ObjectStore } from "../../platform/storage/object-store.ts";
import { chooseTargets, newTargets, type RequestedTarget } from "./choose-targets.ts";
import type { StoredTranscription } from "./job.ts";
import type { JobQueue } from "./job-queue.ts";
import { languagesOf } from "./job-stages.ts";
import type { JobsRepository } from "./jobs-repository.ts";
import type { JobName } from "./keys.ts";
import { expired } from "./result-query.ts";
import { requireTranscription } from "./show-jobs.ts";
import type { TranscriptTarget } from "./target.ts";
import { charactersOf, readTranscriptSegments } from "./translated-recording.ts";

export interface TargetsDependencies {
  readonly jobs: Pick<JobsRepository, "addTargets" | "find">;
  readonly queue: JobQueue;
  readonly store: Pick<ObjectStore, "open">;
  readonly policyOf: AccountPolicies;
}

/** Targets that a transcription does not have yet, and what they count. */
export interface MeasuredTargets {
  readonly job: StoredTranscription;
  readonly targets: readonly TranscriptTarget[];
  /** To translate; languages that are translated already count nothing. */
  readonly characters: number;
}

const notCompleted = (): AppError =>
  new AppError("job_not_completed", {
    message: "Targets can be added to a completed transcription. Try again when the job is completed.",
    param: "id",
  });

/**
 * Returns what a request adds to a completed transcription.
 *
 * @throws AppError `not_found`, `job_not_completed`, `bad_request`; those of {@link chooseTargets} and of the store.
 */
export const measureTargets = async (
  name: JobName,
  requested: readonly RequestedTarget[],
  { jobs, store }: Pick<TargetsDependencies, "jobs" | "store">,
): Promise<MeasuredTargets> => {
  const job = await requireTranscription(name, jobs);
  const targets = newTargets(chooseTargets(requested, job), job);
  if (job.status !== "completed") throw notCompleted();
  const segments = await readTranscriptSegments(store, name, job);
  if (!segments) throw expired();
  const translated = new Set(languagesOf(job.targets));
  const added = languagesOf(targets).filter((language) => !translated.has(language));
  return { job, targets, characters: charactersOf(segments) * added.length };
};

/** A job that has just been completed is finished within a moment. */
const attempts = 5;
const pauseMilliseconds = 400;

/**
 * Adds targets to a completed transcription, which runs again and calls back again at the end. Its transcript and its other
 * targets stay readable. Targets that it has already change nothing.
 *
 * @returns the job.
 * @throws AppError `job_not_completed` when it has changed in the meantime, `quota_exceeded`; the errors of table and queue.
 */
export const addTargets = async (
  name: JobName,
  { job, targets, characters }: MeasuredTargets,
  { jobs, queue, policyOf }: TargetsDependencies,
): Promise<StoredTranscription> => {
  if (targets.length === 0) return job;
  await queue.send({ kind: "extend", ...name, extension: job.extensions + 1 });
  for (let attempt = 1; ; attempt += 1) {
    const extended = await jobs.addTargets(job, targets, characters, policyOf);
    if (extended) return extended;
    if (attempt === attempts) throw notCompleted();
    await sleep(pauseMilliseconds);
  }
};
