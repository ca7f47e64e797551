import type { AudioFacts } from "../../shared/audio/reading/container.ts";
import type { Recording, Transcription } from "../../shared/models/inference/transcription.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { StoredTranscription } from "../../shared/recordings/jobs/job.ts";
import { readTranscript } from "../../shared/recordings/jobs/job-objects.ts";
import { enqueue, type JobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { type JobsRepository, jobIdOfMessage } from "../../shared/recordings/jobs/jobs-repository.ts";
import { assistantId, type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { conversationText } from "../../shared/recordings/transcripts/speakers.ts";

/** A voice note that is too long to transcribe while the person waits. */
export interface LongRecording {
  readonly voiceNote: NonNullable<StoredTranscription["reply_to"]>;
  readonly source: Recording["source"];
  readonly facts: AudioFacts;
  readonly language: StoredTranscription["language"];
}

export type LongRecordingOutcome =
  | { readonly kind: "transcribed"; readonly text: string; readonly isUnsure?: boolean }
  | { readonly kind: "failed"; readonly code: string };

/** Voice notes that jobs transcribe piece by piece. */
export interface LongRecordings {
  /** Starts the job of a recording; safe to repeat. @returns the id of the job. */
  begin(recording: LongRecording): Promise<string>;
  /** Returns `undefined` when the job has not ended, was removed, or its sender was forgotten. */
  outcomeOf(jobId: string): Promise<LongRecordingOutcome | undefined>;
  /** Removes the recording, its job and its transcript. */
  clear(jobId: string): Promise<void>;
}

export interface LongRecordingDependencies {
  readonly jobs: Pick<JobsRepository, "createForAssistant" | "find" | "markDeleted" | "read">;
  readonly queue: JobQueue;
  readonly store: Pick<ObjectStore, "open" | "put">;
}

/** Below this, one word in four is probably wrong. */
const minConfidence = 0.75;

/** Whether a transcript should be read back before anything is done with it. */
export const isUnsure = ({ confidence = 1 }: Pick<Transcription, "confidence">): boolean =>
  confidence < minConfidence;

const nameOf = (jobId: string): JobName => ({ userId: assistantId, jobId });

/** Creates long recordings as jobs, which belong to no account. The job worker reports their end by a message. */
export const createLongRecordings = ({ jobs, queue, store }: LongRecordingDependencies): LongRecordings => ({
  begin: async ({ voiceNote, source, facts, language }) => {
    const jobId = jobIdOfMessage(voiceNote);
    const name = nameOf(jobId);
    // An earlier attempt has started it, and the job worker may be reading the recording.
    if (await jobs.read(name)) return jobId;
    const key = jobObjects.recording(name);
    const job = {
      file_id: jobId,
      language,
      timestamps: false,
      reply_to: voiceNote,
      object_key: key,
      facts,
    };
    await enqueue(name, queue, async () => {
      await store.put(key, await source.read(0, source.size), { contentType: facts.mediaType });
      const stored = await store.open(key);
      if (!stored) throw new Error("The recording that was just stored does not exist.");
      await jobs.createForAssistant(jobId, { ...job, object_version: stored.version ?? "" });
    });
    return jobId;
  },

  outcomeOf: async (jobId) => {
    const job = await jobs.find(nameOf(jobId));
    if (job?.status === "failed") return { kind: "failed", code: job.error?.code ?? "internal" };
    const transcript = job?.status === "completed" ? await readTranscript(store, nameOf(jobId)) : undefined;
    return (
      transcript && {
        ...{ kind: "transcribed", text: conversationText(transcript) },
        ...(isUnsure(transcript) ? { isUnsure: true } : {}),
      }
    );
  },

  clear: async (jobId) => {
    await jobs.markDeleted(nameOf(jobId));
    // Even if it was marked before: the earlier attempt may have been killed here.
    await queue.send({ kind: "end", ...nameOf(jobId) });
  },
});
