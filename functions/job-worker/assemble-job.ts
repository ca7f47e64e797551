import { contentTypeOf } from "../../shared/documents/document-formats.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { StoredTranslation } from "../../shared/recordings/jobs/job.ts";
import { writeJobDocument } from "../../shared/recordings/jobs/job-document.ts";
import { putJson, readTranscribedPieces } from "../../shared/recordings/jobs/job-objects.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import type { JobTranscript, TranscribedPiece } from "../../shared/recordings/jobs/transcribed-piece.ts";
import { type EndDependencies, finishJob } from "./finish-job.ts";
import { openJobRecording } from "./plan-job.ts";

export interface AssemblyDependencies extends EndDependencies {
  readonly jobs: EndDependencies["jobs"] & Pick<JobsRepository, "complete" | "completeTranslation">;
  readonly store: Pick<ObjectStore, "delete" | "list" | "open" | "put">;
  readonly stitch: (pieces: readonly TranscribedPiece[]) => JobTranscript;
}

const assembleTranslation = async (
  name: JobName,
  job: StoredTranslation,
  { jobs, store }: AssemblyDependencies,
): Promise<void> => {
  const source = await openJobRecording(store, job);
  const { bytes, untranslated } = await writeJobDocument(name, job, source, store);
  await store.put(jobObjects.result(name), bytes, { contentType: contentTypeOf(job.format) });
  await jobs.completeTranslation(name, untranslated);
};

/**
 * Joins the pieces into one result when all of them are done, and completes the job. If two workers do it, both write the same result
 * and only one completes the job.
 */
export const assembleJob = async (name: JobName, dependencies: AssemblyDependencies): Promise<void> => {
  const { jobs, store, stitch } = dependencies;
  const job = await jobs.read(name);
  if (job?.status === "running" && job.done.size === job.pieces) {
    if (job.type === "translation") await assembleTranslation(name, job, dependencies);
    else {
      await putJson(store, jobObjects.result(name), stitch(await readTranscribedPieces(store, name, job)));
      await jobs.complete(name);
    }
    // A job that failed or was deleted in the meantime must not leave a result behind.
    const ended = await jobs.read(name);
    if (ended?.status !== "completed") await store.delete(jobObjects.result(name));
  }
  await finishJob(name, dependencies);
};
