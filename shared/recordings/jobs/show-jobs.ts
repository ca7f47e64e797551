import { AppError } from "../../platform/errors/app-error.ts";
import type { DeliveryLog } from "../callbacks/deliveries.ts";
import { type Job, type JobDetails, type StoredJob, toJob } from "./job.ts";
import type { JobsRepository } from "./jobs-repository.ts";
import type { JobName } from "./keys.ts";

/**
 * A job of the caller's.
 *
 * @throws AppError `not_found`: what is unknown, deleted or another account's looks the same.
 */
export const requireJob = async (name: JobName, jobs: Pick<JobsRepository, "find">): Promise<StoredJob> => {
  const job = await jobs.find(name);
  if (job) return job;
  throw new AppError("not_found", { message: "There is no such job, or it has expired.", param: "id" });
};

/** What showing a job touches. */
export interface ShowDependencies {
  readonly jobs: Pick<JobsRepository, "find">;
  readonly deliveries: Pick<DeliveryLog, "read">;
}

/**
 * A job with what has become of its callback.
 *
 * @throws AppError `not_found`.
 */
export const showJob = async (name: JobName, { jobs, deliveries }: ShowDependencies): Promise<JobDetails> => {
  const job = await requireJob(name, jobs);
  const callback = job.callback_url === undefined ? null : await deliveries.read(name.userId, name.jobId);
  return { ...toJob(job), callback };
};

/** A page of the caller's jobs, and where the next one begins. */
export const listJobs = async (
  userId: number,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  jobs: Pick<JobsRepository, "list">,
): Promise<{ jobs: Job[]; next_cursor: string | null }> => {
  // One more than is shown says whether there is another page.
  // A cursor without a value is that of a form, or a template, which has none yet.
  const found = await jobs.list(userId, limit + 1, cursor || undefined);
  const shown = found.slice(0, limit);
  return {
    jobs: shown.map(toJob),
    next_cursor: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
  };
};
