import { daySeconds, hourSeconds } from "../../shared/platform/durations.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { FifoQueue } from "../../shared/platform/queue/fifo-queue.ts";
import { estimateSeconds, type JobSpeeds } from "../../shared/recordings/jobs/capacity.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";

export interface CapacityDependencies {
  readonly jobs: Pick<JobsRepository, "list">;
  readonly queue: Pick<FifoQueue, "count">;
  readonly speeds: Pick<JobSpeeds, "read">;
  /** How many pieces all accounts together may have in progress. */
  readonly piecesAtOnce: number;
}

/** Jobs of an account that can delay a new one. Older ones have ended, or are older than a day's work. */
const maxJobs = 100;

/**
 * Refuses a job that would not be completed within a day. Before the first recording was transcribed, nothing is refused. All
 * figures are read where the work itself changes them, so there is no counter that could be wrong; SQS counts its messages within
 * a minute.
 *
 * @throws AppError `queue_full` with the estimate; the errors of table and queue.
 */
export const requireCapacity = async (
  userId: number,
  seconds: number,
  { jobs, queue, speeds, piecesAtOnce }: CapacityDependencies,
): Promise<void> => {
  const speed = await speeds.read();
  if (speed === undefined) return;
  const [before, messages] = await Promise.all([jobs.list(userId, maxJobs, undefined), queue.count()]);
  const estimate = estimateSeconds({ jobs: before, seconds, messages, piecesAtOnce, speed });
  if (estimate <= daySeconds) return;
  throw new AppError("queue_full", {
    message:
      `This recording would be transcribed in about ${Math.ceil(estimate / hourSeconds)} hours, because others are waiting. ` +
      "A job is accepted when it can be completed within a day; try again later.",
    retryAfterSeconds: Math.min(Math.max(Math.ceil(estimate - daySeconds), 60), daySeconds),
    extra: { estimated_seconds: Math.ceil(estimate) },
  });
};
