import type { JobQueue } from "./job-queue.ts";
import type { JobsRepository } from "./jobs-repository.ts";
import type { JobName } from "./keys.ts";
import { requireJob } from "./show-jobs.ts";

/** Everything that deleting a job touches. */
export interface DeleteDependencies {
  readonly jobs: Pick<JobsRepository, "find" | "markDeleted">;
  readonly queue: JobQueue;
}

/**
 * Deletes a job; from this moment nobody sees it. The worker, which is asked before and waits for it, notices within seconds,
 * calls back if the job was cancelled so, and clears away what there is of it.
 *
 * @throws AppError `not_found`.
 */
export const deleteJob = async (name: JobName, { jobs, queue }: DeleteDependencies): Promise<void> => {
  await requireJob(name, jobs);
  await queue.send({ kind: "end", ...name });
  // Of two who delete it at once, one is told that it is not there.
  if (!(await jobs.markDeleted(name))) await requireJob(name, jobs);
};
