import type { CallbackRequest } from "../callbacks/callback-queue.ts";
import { earlierEndsOf, type JobStatus, type StoredJob } from "./job.ts";
import { toJob } from "./job-view.ts";

const events: Readonly<Partial<Record<JobStatus, CallbackRequest["event"]>>> = {
  completed: "job.completed",
  failed: "job.failed",
  cancelled: "job.cancelled",
};

/** The callback about the end of a job. @throws Error when it has not ended. */
export const callbackOf = (job: StoredJob, url: string): CallbackRequest => {
  const event = events[job.status];
  const { user_id: userId, id: jobId, ended_at: occurredAt } = job;
  if (!event || !occurredAt) throw new Error("The job has not ended.");
  const earlierEnds = earlierEndsOf(job);
  return {
    ...{ userId, jobId, url, event, occurredAt, data: toJob(job) },
    ...(earlierEnds > 0 ? { earlierEnds } : {}),
  };
};
