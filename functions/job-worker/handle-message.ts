import type { JobMessage } from "../../shared/recordings/jobs/job-queue.ts";
import type { JobName } from "../../shared/recordings/jobs/keys.ts";
import { type AssemblyDependencies, assembleJob } from "./assemble-job.ts";
import { finishJob } from "./finish-job.ts";
import { type PlanDependencies, planJob } from "./plan-job.ts";
import { type PieceDependencies, workOnPiece } from "./work-on-piece.ts";

export type WorkDependencies = AssemblyDependencies & PieceDependencies & PlanDependencies;

/**
 * A job is created or deleted in two steps: first the message, then the write, so no written job is forgotten. A message can
 * therefore arrive before the write. After a minute we assume that the write failed.
 */
const maxMilliseconds = 60_000;
const pauseSeconds = 1;

/** @param exists whether the write that the message announced has happened. */
const whenWritten = async (
  sentAt: number,
  exists: () => Promise<boolean>,
  work: () => Promise<number | undefined>,
): Promise<number | undefined> => {
  if (await exists()) return work();
  return Date.now() - sentAt < maxMilliseconds ? pauseSeconds : undefined;
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
        async () => (await jobs.read(name)) !== undefined,
        () => planJob(name, dependencies, signal),
      );
    case "assemble":
      await assembleJob(name, dependencies);
      return undefined;
    case "end":
      return whenWritten(
        sentAt,
        async () => {
          const job = await jobs.read(name);
          // A job that had already ended is removed only after its deletion is written.
          return job === undefined || job.is_deleted;
        },
        async () => {
          await finishJob(name, dependencies);
          return undefined;
        },
      );
  }
};
