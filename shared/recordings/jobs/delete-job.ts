import type { JobQueue } from "./job-queue.ts";
import type { JobsRepository } from "./jobs-repository.ts";
import type { JobName } from "./keys.ts";
import { requireJob } from "./show-jobs.ts";

export interface DeleteDependencies {
  readonly jobs: Pick<JobsRepository, "find" | "markDeleted">;
  readonly queue: JobQueue;
}

/**
 * Deletes a job, which is invisible from then on. Within seconds the worker stops, sends the callback of a job that this
 * cancelled, and removes the rest.
 *
 * @throws AppError `not_found`.
 */
export const deleteJob = async (name: JobName, { jobs, queue }: DeleteDependencies): Promise<void> => {
  await requireJob(name, jobs);
  await queue.send({ kind: "end", ...name });
  // When two requests delete a job at the same time, one gets `not_found`.
  if (!(await jobs.markDeleted(name))) await requireJob(name, jobs);
};
