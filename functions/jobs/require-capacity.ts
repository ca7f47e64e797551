import { daySeconds, hourSeconds } from "../../shared/platform/durations.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { FifoQueue } from "../../shared/platform/queue/fifo-queue.ts";
import { estimateSeconds, type JobSpeed } from "../../shared/recordings/jobs/capacity.ts";
import { languagesOf } from "../../shared/recordings/jobs/job-stages.ts";
import type { WorkKind } from "../../shared/recordings/jobs/job-work.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import type { TranscriptTarget } from "../../shared/recordings/jobs/target.ts";

export interface CapacityDependencies {
  readonly jobs: Pick<JobsRepository, "list">;
  readonly queue: Pick<FifoQueue, "count">;
  readonly speeds: Readonly<Record<WorkKind, Pick<JobSpeed, "read">>>;
  /** How many pieces all accounts together may have in progress. */
  readonly piecesAtOnce: number;
}

/** Work of a new job: milliseconds of a recording, or characters to translate or to speak. */
export interface NewWork {
  readonly type: WorkKind;
  readonly amount: number;
}

/** What one slot does in a millisecond before anything was measured: ten times the speed of speech, 60 characters a second. */
const assumedSpeeds: Readonly<Record<WorkKind, number>> = {
  transcription: 10,
  translation: 0.06,
  speech: 0.06,
};

/** Returns the work on targets of a recording. @param characters of all their languages together. */
export const workOnTargets = (targets: readonly TranscriptTarget[], characters: number): NewWork[] => {
  const languages = languagesOf(targets).length;
  const spoken = languagesOf(targets.filter(({ format }) => format === "audio")).length;
  if (languages === 0) return [];
  const speech = { type: "speech", amount: (characters / languages) * spoken } as const;
  return [{ type: "translation", amount: characters }, ...(spoken > 0 ? [speech] : [])];
};

/** Jobs of an account that can delay a new one. Older ones have ended, or are older than a day's work. */
const maxJobs = 100;

/**
 * Refuses a job that would not be completed within a day. Before the first work of its kind was done, nothing is refused. All
 * figures are read where the work itself changes them, so there is no counter that could be wrong; SQS counts its messages within
 * a minute.
 *
 * @param works what the job does, one after the other.
 * @returns the seconds until the job is completed, estimated.
 * @throws AppError `queue_full` with the estimate; the errors of table and queue.
 */
export const requireCapacity = async (
  userId: number,
  works: readonly NewWork[],
  { jobs, queue, speeds, piecesAtOnce }: CapacityDependencies,
): Promise<number> => {
  const [before, messages, measured] = await Promise.all([
    jobs.list(userId, maxJobs, undefined),
    queue.count(),
    Promise.all(works.map(({ type }) => speeds[type].read())),
  ]);
  const estimate = works.reduce((sum, { type, amount }, index) => {
    const speed = measured[index] ?? assumedSpeeds[type];
    return sum + estimateSeconds({ type, jobs: before, amount, messages, piecesAtOnce, speed });
  }, 0);
  if (measured[0] === undefined || estimate <= daySeconds) return estimate;
  throw new AppError("queue_full", {
    message:
      `This job would be completed in about ${Math.ceil(estimate / hourSeconds)} hours, because others are waiting. ` +
      "A job is accepted when it can be completed within a day; try again later.",
    retryAfterSeconds: Math.min(Math.max(Math.ceil(estimate - daySeconds), 60), daySeconds),
    extra: { estimated_seconds: Math.ceil(estimate) },
  });
};
