import type { JobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import type { JobName } from "../../shared/recordings/jobs/keys.ts";

export interface SlotDependencies {
  readonly jobs: Pick<JobsRepository, "read">;
  readonly queue: JobQueue;
  /** How many pieces one account may have in progress. */
  readonly slotsPerAccount: number;
}

/**
 * Starts the account's slots when a job has pieces that are not done. A slot that is already working finds the job without the
 * message, which then does nothing.
 */
export const startSlots = async (
  name: JobName,
  { jobs, queue, slotsPerAccount }: SlotDependencies,
): Promise<void> => {
  const job = await jobs.read(name);
  if (job?.status !== "running" || job.done.size === job.pieces) return;
  for (let slot = 0; slot < slotsPerAccount; slot += 1) {
    await queue.send({ kind: "piece", userId: name.userId, place: slot });
  }
};
