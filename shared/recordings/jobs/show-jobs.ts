import { AppError } from "../../platform/errors/app-error.ts";
import { deliveryName } from "../callbacks/callback-queue.ts";
import type { DeliveryLog } from "../callbacks/deliveries.ts";
import { earlierEndsOf, type StoredJob, type StoredTranscription } from "./job.ts";
import { type Job, type JobDetails, toJob } from "./job-view.ts";
import type { JobsRepository } from "./jobs-repository.ts";
import type { JobName } from "./keys.ts";

const noSuchJob = (): AppError =>
  new AppError("not_found", { message: "There is no such job, or it has expired.", param: "id" });

/**
 * Returns a job of the account.
 *
 * @throws AppError `not_found` alike for jobs that are unknown, deleted or of another account.
 */
export const requireJob = async (name: JobName, jobs: Pick<JobsRepository, "find">): Promise<StoredJob> => {
  const job = await jobs.find(name);
  if (job) return job;
  throw noSuchJob();
};

/** Returns a transcription of the account. @throws AppError `not_found`, also for jobs of another type. */
export const requireTranscription = async (
  name: JobName,
  jobs: Pick<JobsRepository, "find">,
): Promise<StoredTranscription> => {
  const job = await requireJob(name, jobs);
  if (job.type === "transcription") return job;
  throw noSuchJob();
};

export interface ShowDependencies {
  readonly jobs: Pick<JobsRepository, "find">;
  readonly deliveries: Pick<DeliveryLog, "read">;
}

/** Returns a job with the state of its callback. @throws AppError `not_found`. */
export const showJob = async (name: JobName, { jobs, deliveries }: ShowDependencies): Promise<JobDetails> => {
  const job = await requireJob(name, jobs);
  const callback =
    job.callback_url === undefined
      ? null
      : await deliveries.read(name.userId, deliveryName({ ...name, earlierEnds: earlierEndsOf(job) }));
  return { ...toJob(job), callback };
};

/** Returns a page of the account's jobs, and the cursor of the next page. */
export const listJobs = async (
  userId: number,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  jobs: Pick<JobsRepository, "list">,
): Promise<{ jobs: Job[]; next_cursor: string | null }> => {
  // One extra job shows whether there is another page. Forms and templates send an empty cursor for the first page.
  const found = await jobs.list(userId, limit + 1, cursor || undefined);
  const shown = found.slice(0, limit);
  return {
    jobs: shown.map(toJob),
    next_cursor: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
  };
};
