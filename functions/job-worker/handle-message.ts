import type { JobMessage } from "../../shared/recordings/jobs/job-queue.ts";
import type { JobName } from "../../shared/recordings/jobs/keys.ts";
import { type AssemblyDependencies, assembleJob } from "./assemble-job.ts";
import { finishJob } from "./finish-job.ts";
import { type PlanDependencies, planJob } from "./plan-job.ts";
import { type PieceDependencies, workOnPiece } from "./work-on-piece.ts";

/** Everything that the worker touches. */
export type WorkDependencies = AssemblyDependencies & PieceDependencies & PlanDependencies;

/**
 * Whoever makes or deletes a job sends the message first and writes then, so that nothing written is forgotten: a message may
 * come before what it is about. What was not written after so long never will be.
 */
const maxMilliseconds = 60_000;
const pauseSeconds = 1;

/** @param exists whether what was announced has been written. */
const whenWritten = async (
  sentAt: number,
  exists: () => Promise<boolean>,
  work: () => Promise<number | undefined>,
): Promise<number | undefined> => {
  if (await exists()) return work();
  return Date.now() - sentAt < maxMilliseconds ? pauseSeconds : undefined;
};

/**
 * Does what a message asks for. Whatever it is, it may be done again: a message is removed only after all it leads to has been done.
 *
 * @param sentAt when the message was sent, in milliseconds of Unix time.
 * @returns in how many seconds it is to come again; `undefined` when it is done with.
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
          // A job that was over before it is deleted is only cleared away when the deletion is written.
          return job === undefined || job.is_deleted;
        },
        async () => {
          await finishJob(name, dependencies);
          return undefined;
        },
      );
  }
};
