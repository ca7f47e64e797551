import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { putJson, readTranscribedPieces } from "../../shared/recordings/jobs/job-objects.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import type { JobTranscript, TranscribedPiece } from "../../shared/recordings/jobs/transcribed-piece.ts";
import { type EndDependencies, finishJob } from "./finish-job.ts";

export interface AssemblyDependencies extends EndDependencies {
  readonly jobs: EndDependencies["jobs"] & Pick<JobsRepository, "complete">;
  readonly store: Pick<ObjectStore, "delete" | "list" | "open" | "put">;
  readonly stitch: (pieces: readonly TranscribedPiece[]) => JobTranscript;
}

/**
 * Joins the pieces into one transcript when all of them are transcribed, and completes the job. If two workers do it, both
 * write the same transcript and only one completes the job.
 */
export const assembleJob = async (name: JobName, dependencies: AssemblyDependencies): Promise<void> => {
  const { jobs, store, stitch } = dependencies;
  const job = await jobs.read(name);
  if (job?.status === "running" && job.done.size === job.pieces) {
    await putJson(store, jobObjects.result(name), stitch(await readTranscribedPieces(store, name, job)));
    await jobs.complete(name);
    // A job that failed or was deleted in the meantime must not leave a result behind.
    const ended = await jobs.read(name);
    if (ended?.status !== "completed") await store.delete(jobObjects.result(name));
  }
  await finishJob(name, dependencies);
};
