import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import type { MessageQueue } from "../../shared/messaging/message-queue.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { CallbackQueue } from "../../shared/recordings/callbacks/callback-queue.ts";
import { isOver, type StoredJob, type StoredTranscription } from "../../shared/recordings/jobs/job.ts";
import { callbackOf } from "../../shared/recordings/jobs/job-callback.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { assistantId, type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";

export interface EndDependencies {
  readonly jobs: Pick<JobsRepository, "read" | "remove" | "finish">;
  readonly store: Pick<ObjectStore, "delete" | "list">;
  readonly callbacks: Pick<CallbackQueue, "send">;
  /** The queue of the messaging assistant, for jobs that transcribe a voice note. */
  readonly messages: MessageQueue;
}

/** Reports the end of a job to the assistant. The id depends only on the job, so the queue drops a second message. */
const endMessage = (
  { id: jobId }: StoredJob,
  voiceNote: NonNullable<StoredTranscription["reply_to"]>,
): InboundMessage => ({
  ...voiceNote,
  id: `transcript-${jobId}`,
  content: { type: "transcript", jobId, voiceNoteId: voiceNote.id },
});

const voiceNoteOf = (job: StoredJob) => (job.type === "transcription" ? job.reply_to : undefined);

/** Deletes the recording, the pieces and the result of a job. */
export const removeObjects = async (name: JobName, store: EndDependencies["store"]): Promise<void> => {
  for await (const object of store.list(jobObjects.folder(name))) await store.delete(object.name);
};

/**
 * Whether the recording or document of a job that ended is still needed: an operator can queue a failed job again, and what was
 * translated of a document is written into its source when it is requested.
 */
const needsSource = ({ type, status, user_id: userId }: StoredJob): boolean =>
  type === "translation" ? status !== "completed" : status === "failed" && userId !== assistantId;

/**
 * Does what remains when a job has ended: queues the callback or the assistant's message, deletes the recording, and removes a
 * job that its owner has deleted. Does nothing before the end. It is safe to repeat after a failure at any step.
 */
export const finishJob = async (
  name: JobName,
  { jobs, store, callbacks, messages }: EndDependencies,
): Promise<void> => {
  const job = await jobs.read(name);
  if (!job || !isOver(job)) return;
  if (!job.is_settled) {
    const { callback_url: url } = job;
    const voiceNote = voiceNoteOf(job);
    if (url !== undefined) await callbacks.send(callbackOf(job, url));
    if (voiceNote) await messages.send([endMessage(job, voiceNote)]);
    if (!needsSource(job)) await store.delete(jobObjects.recording(name));
    await jobs.finish(name);
  }
  if (!job.is_deleted) return;
  await removeObjects(name, store);
  // Where recordings of the assistant were before they were in the job's folder.
  if (voiceNoteOf(job)) await store.delete(job.object_key);
  // Last, because a retry needs it to find the rest.
  await jobs.remove(name);
};
