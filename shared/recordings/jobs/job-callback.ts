import type { CallbackRequest } from "../callbacks/callback-queue.ts";
import { type JobStatus, type StoredJob, toJob } from "./job.ts";

const events: Readonly<Partial<Record<JobStatus, CallbackRequest["event"]>>> = {
  completed: "job.completed",
  failed: "job.failed",
  cancelled: "job.cancelled",
};

/** The callback of a job that has ended. @throws Error when it has not. */
export const callbackOf = (job: StoredJob, url: string): CallbackRequest => {
  const event = events[job.status];
  const { ended_at: occurredAt } = job;
  if (!event || !occurredAt) throw new Error("The job has not ended.");
  return { userId: job.user_id, jobId: job.id, url, event, occurredAt, data: toJob(job) };
};
