import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { putJson, readTranscribedPieces } from "../../shared/recordings/jobs/job-objects.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import type { JobTranscript, TranscribedPiece } from "../../shared/recordings/jobs/transcribed-piece.ts";
import { type EndDependencies, finishJob } from "./finish-job.ts";

/** Everything that making one transcript of many touches. */
export interface AssemblyDependencies extends EndDependencies {
  readonly jobs: EndDependencies["jobs"] & Pick<JobsRepository, "complete">;
  readonly store: Pick<ObjectStore, "delete" | "list" | "open" | "put">;
  readonly stitch: (pieces: readonly TranscribedPiece[]) => JobTranscript;
}

/**
 * Makes the whole transcript, once all pieces are transcribed, and ends the job. Whoever does it again makes the same one, and
 * the job is ended by one of them.
 */
export const assembleJob = async (name: JobName, dependencies: AssemblyDependencies): Promise<void> => {
  const { jobs, store, stitch } = dependencies;
  const job = await jobs.read(name);
  if (job?.status === "running" && job.done.size === job.pieces) {
    await putJson(store, jobObjects.result(name), stitch(await readTranscribedPieces(store, name, job)));
    await jobs.complete(name);
    // Nobody is to find what a job has left behind that ended otherwise, or was deleted, meanwhile.
    const ended = await jobs.read(name);
    if (ended?.status !== "completed") await store.delete(jobObjects.result(name));
  }
  await finishJob(name, dependencies);
};
