import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import type { MessageQueue } from "../../shared/messaging/message-queue.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { CallbackQueue, CallbackRequest } from "../../shared/recordings/callbacks/callback-queue.ts";
import { isOver, type JobStatus, type StoredJob, toJob } from "../../shared/recordings/jobs/job.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";

/** What the end of a job touches. */
export interface EndDependencies {
  readonly jobs: Pick<JobsRepository, "read" | "remove" | "finish">;
  readonly store: Pick<ObjectStore, "delete" | "list">;
  /** Asked twice for the same event, it tells of it once. */
  readonly callbacks: CallbackQueue;
  /** Where the messaging assistant is told that a long recording is transcribed; it hears of the same one once. */
  readonly messages: MessageQueue;
}

/** A job that is not over has none of these. */
const events: Readonly<Partial<Record<JobStatus, CallbackRequest["event"]>>> = {
  completed: "job.completed",
  failed: "job.failed",
  cancelled: "job.cancelled",
};

const callbackOf = (job: StoredJob, url: string): CallbackRequest => {
  const event = events[job.status];
  const { ended_at: occurredAt } = job;
  if (!event || !occurredAt) throw new Error("Only the end of a job is told.");
  return { userId: job.user_id, jobId: job.id, url, event, occurredAt, data: toJob(job) };
};

/** What the assistant is to answer: the end of a job. Its id is made of the job's, so that twice is seen as once. */
const endMessage = (
  { id: jobId }: StoredJob,
  voiceNote: NonNullable<StoredJob["reply_to"]>,
): InboundMessage => ({
  ...voiceNote,
  id: `transcript-${jobId}`,
  content: { type: "transcript", jobId, voiceNoteId: voiceNote.id },
});

/**
 * Does what is left to do for a job that is over: tells whoever wants to be called back, or the assistant, and clears away what
 * its owner has deleted. Whatever fails on the way, it can be done again.
 */
export const finishJob = async (
  name: JobName,
  { jobs, store, callbacks, messages }: EndDependencies,
): Promise<void> => {
  const job = await jobs.read(name);
  if (!job || !isOver(job)) return;
  if (!job.is_settled) {
    const { callback_url: url, reply_to: voiceNote } = job;
    if (url !== undefined) await callbacks.send(callbackOf(job, url));
    if (voiceNote) await messages.send([endMessage(job, voiceNote)]);
    await jobs.finish(name);
  }
  if (!job.is_deleted) return;
  for await (const object of store.list(jobObjects.folder(name))) await store.delete(object);
  // Uploads of accounts are theirs; this one was made for the job.
  if (job.reply_to) await store.delete(job.object_key);
  // It goes last: it is what leads here when this fails.
  await jobs.remove(name);
};
