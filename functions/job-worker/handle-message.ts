import type { JobMessage } from "../../shared/recordings/jobs/job-queue.ts";
import type { JobName } from "../../shared/recordings/jobs/keys.ts";
import { type AssemblyDependencies, assembleJob } from "./assemble-job.ts";
import { finishJob, removeObjects } from "./finish-job.ts";
import { type PlanDependencies, planJob } from "./plan-job.ts";
import { type PieceDependencies, workOnPiece } from "./work-on-piece.ts";

export type WorkDependencies = AssemblyDependencies & PieceDependencies & PlanDependencies;

/**
 * A job is created or deleted in two steps: first the message, then the write, so no written job is forgotten. A message can
 * therefore arrive before the write. After this time, the function that should have written has ended: `jobs` has two minutes.
 */
const maxMilliseconds = 150_000;

/** A second, and then half the time that has passed: few deliveries, because a message that has come often is replaced. */
const pauseSeconds = (milliseconds: number): number => Math.max(1, milliseconds / 2_000);

/**
 * @param exists whether the write that the message announced has happened.
 * @param giveUp what to do when it never happens.
 */
const whenWritten = async (
  sentAt: number,
  exists: () => Promise<boolean>,
  work: () => Promise<number | undefined>,
  giveUp: () => Promise<void> = async () => undefined,
): Promise<number | undefined> => {
  if (await exists()) return work();
  const passed = Date.now() - sentAt;
  if (passed < maxMilliseconds) return pauseSeconds(passed);
  await giveUp();
  return undefined;
};

/**
 * Does the work of a message. All of it is safe to repeat: the queue deletes a message only after its work is done.
 *
 * @param sentAt when the message was sent, in Unix milliseconds.
 * @returns the seconds until the message should be delivered again; `undefined` when it is done.
 */
export const handleMessage = async (
  message: JobMessage,
  sentAt: number,
  dependencies: WorkDependencies,
  signal: AbortSignal,
): Promise<number | undefined> => {
  const { jobs } = dependencies;
  if (message.kind === "piece") return workOnPiece(message.userId, message.place, dependencies, signal);
  const name: JobName = { userId: message.userId, jobId: message.jobId };
  switch (message.kind) {
    case "plan":
      return whenWritten(
        sentAt,
        async () => {
          const job = await jobs.read(name);
          return job !== undefined && job.retries >= (message.retries ?? 0);
        },
        () => planJob(name, dependencies, signal),
        // The recording was copied for this job; one that is not queued again after all keeps it.
        async () => {
          if (message.retries === undefined) await removeObjects(name, dependencies.store);
        },
      );
    case "assemble":
      await assembleJob(name, dependencies);
      return undefined;
    case "extend":
      return whenWritten(
        sentAt,
        async () => {
          const job = await jobs.read(name);
          // A job that is gone needs no work.
          return job?.type !== "transcription" || job.extensions >= message.extension;
        },
        async () => {
          await assembleJob(name, dependencies);
          return undefined;
        },
      );
    case "end":
      return whenWritten(
        sentAt,
        async () => {
          const job = await jobs.read(name);
          // A job that had already ended is removed only after its deletion is written.
          return job === undefined || job.is_deleted || job.status === "cancelled";
        },
        async () => {
          await finishJob(name, dependencies);
          return undefined;
        },
      );
  }
};
