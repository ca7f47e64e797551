import type { AudioFacts } from "../../shared/audio/reading/container.ts";
import type { Recording } from "../../shared/models/inference/transcription.ts";
import { type ObjectStore, voiceNotesFolder } from "../../shared/platform/storage/object-store.ts";
import type { StoredJob } from "../../shared/recordings/jobs/job.ts";
import { readTranscript } from "../../shared/recordings/jobs/job-objects.ts";
import { enqueue, type JobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { type JobsRepository, jobIdOfMessage } from "../../shared/recordings/jobs/jobs-repository.ts";
import { assistantId, type JobName } from "../../shared/recordings/jobs/keys.ts";

/** A voice note that is too long to be written down while its message is answered. */
export interface LongRecording {
  readonly voiceNote: NonNullable<StoredJob["reply_to"]>;
  readonly source: Recording["source"];
  readonly facts: AudioFacts;
  readonly language: StoredJob["language"];
}

/** What has become of a long recording. */
export type LongRecordingOutcome =
  | { readonly kind: "transcribed"; readonly text: string }
  | { readonly kind: "failed"; readonly code: string };

/** Voice notes that are transcribed piece by piece, while nobody waits. */
export interface LongRecordings {
  /** Has a recording transcribed, once however often it is asked to. @returns the id of its job. */
  begin(recording: LongRecording): Promise<string>;
  /** `undefined` when there is nothing of it (any more): it was cleared away, or its sender is forgotten. */
  outcomeOf(jobId: string): Promise<LongRecordingOutcome | undefined>;
  /** Clears away the recording, its transcript and all else there is of it. */
  clear(jobId: string): Promise<void>;
}

/** What long recordings are kept in, and who works on them. */
export interface LongRecordingDependencies {
  readonly jobs: Pick<JobsRepository, "createForAssistant" | "find" | "markDeleted" | "read">;
  readonly queue: JobQueue;
  readonly store: Pick<ObjectStore, "open" | "put">;
}

const nameOf = (jobId: string): JobName => ({ userId: assistantId, jobId });

/** Long recordings as jobs, which belong to no account. The worker of jobs tells the assistant of their end by a message. */
export const createLongRecordings = ({ jobs, queue, store }: LongRecordingDependencies): LongRecordings => ({
  begin: async ({ voiceNote, source, facts, language }) => {
    const jobId = jobIdOfMessage(voiceNote);
    const name = nameOf(jobId);
    // An earlier try has begun it: the worker may be reading what would be written anew.
    if (await jobs.read(name)) return jobId;
    const key = `${voiceNotesFolder}${jobId}`;
    await store.put(key, await source.read(0, source.size), { contentType: facts.mediaType });
    const stored = await store.open(key);
    if (!stored) throw new Error("What was stored a moment ago is not there.");
    const job = {
      file_id: jobId,
      language,
      timestamps: false,
      reply_to: voiceNote,
      object_key: key,
      object_version: stored.version ?? "",
      facts,
    };
    await enqueue(name, queue, () => jobs.createForAssistant(jobId, job));
    return jobId;
  },

  outcomeOf: async (jobId) => {
    const job = await jobs.find(nameOf(jobId));
    if (job?.status === "failed") return { kind: "failed", code: job.error?.code ?? "internal" };
    const transcript = job?.status === "completed" ? await readTranscript(store, nameOf(jobId)) : undefined;
    return transcript && { kind: "transcribed", text: transcript.text };
  },

  clear: async (jobId) => {
    await jobs.markDeleted(nameOf(jobId));
    // Also when it was marked before: whoever did may not have come any further.
    await queue.send({ kind: "end", ...nameOf(jobId) });
  },
});
