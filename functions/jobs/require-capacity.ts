import { daySeconds, hourSeconds } from "../../shared/platform/durations.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { FifoQueue } from "../../shared/platform/queue/fifo-queue.ts";
import { estimateSeconds, type JobSpeeds } from "../../shared/recordings/jobs/capacity.ts";
import type { StoredJob } from "../../shared/recordings/jobs/job.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";

export interface CapacityDependencies {
  readonly jobs: Pick<JobsRepository, "list">;
  readonly queue: Pick<FifoQueue, "count">;
  readonly speeds: Readonly<Record<StoredJob["type"], Pick<JobSpeeds, "read">>>;
  /** How many pieces all accounts together may have in progress. */
  readonly piecesAtOnce: number;
}

/** The work of a new job: milliseconds of a recording, or characters of a document. */
export interface NewWork {
  readonly type: StoredJob["type"];
  readonly amount: number;
}

/** What one slot does in a millisecond before anything was measured: ten times the speed of speech, 60 characters a second. */
const assumedSpeeds: Readonly<Record<StoredJob["type"], number>> = { transcription: 10, translation: 0.06 };

/** Jobs of an account that can delay a new one. Older ones have ended, or are older than a day's work. */
const maxJobs = 100;

/**
 * Refuses a job that would not be completed within a day. Before the first job of its type was done, nothing is refused. All
 * figures are read where the work itself changes them, so there is no counter that could be wrong; SQS counts its messages within
 * a minute.
 *
 * @returns the seconds until the job is completed, estimated.
 * @throws AppError `queue_full` with the estimate; the errors of table and queue.
 */
export const requireCapacity = async (
  userId: number,
  { type, amount }: NewWork,
  { jobs, queue, speeds, piecesAtOnce }: CapacityDependencies,
): Promise<number> => {
  const measured = await speeds[type].read();
  const [before, messages] = await Promise.all([jobs.list(userId, maxJobs, undefined), queue.count()]);
  const speed = measured ?? assumedSpeeds[type];
  const estimate = estimateSeconds({ type, jobs: before, amount, messages, piecesAtOnce, speed });
  if (measured === undefined || estimate <= daySeconds) return estimate;
  throw new AppError("queue_full", {
    message:
      `This job would be completed in about ${Math.ceil(estimate / hourSeconds)} hours, because others are waiting. ` +
      "A job is accepted when it can be completed within a day; try again later.",
    retryAfterSeconds: Math.min(Math.max(Math.ceil(estimate - daySeconds), 60), daySeconds),
    extra: { estimated_seconds: Math.ceil(estimate) },
  });
};
