import * as z from "zod";
import type { AudioFacts } from "../../shared/audio/reading/container.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ByteSource } from "../../shared/platform/outbound/byte-source.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { StoredJob } from "../../shared/recordings/jobs/job.ts";
import { putJson } from "../../shared/recordings/jobs/job-objects.ts";
import type { JobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { type EndDependencies, finishJob } from "./finish-job.ts";
import { type JobTimeouts, judgeFailure } from "./judge-failure.ts";

/** A part of a recording, with whatever it takes to cut it out. */
export const plannedPiece = z.looseObject({
  index: z.int(),
  /** Seconds of the recording, with what the piece shares with its neighbours. */
  start: z.number(),
  end: z.number(),
  mediaType: z.string(),
  fileExtension: z.string(),
});
export type PlannedPiece = z.infer<typeof plannedPiece>;

/** Cuts recordings without decoding them. Both throw errors of audio when a recording cannot be cut. */
export interface Cutter {
  plan(source: ByteSource, facts: AudioFacts, signal: AbortSignal): Promise<readonly PlannedPiece[]>;
  cut(source: ByteSource, piece: PlannedPiece, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Everything that planning touches. */
export interface PlanDependencies extends EndDependencies {
  readonly jobs: EndDependencies["jobs"] & Pick<JobsRepository, "beginPlanning" | "fail" | "start">;
  readonly store: Pick<ObjectStore, "delete" | "list" | "open" | "put">;
  readonly cutter: Cutter;
  readonly queue: JobQueue;
  readonly timeouts: JobTimeouts;
  /** How many pieces of an account may be under way. */
  readonly slotsPerAccount: number;
}

/** A recording that ends the process that plans it is given up after so many. */
const maxPlannings = 8;

/** The upload of a job, which may be gone or another one by now. @throws AppError `not_found`. */
export const openJobRecording = async (
  store: Pick<ObjectStore, "open">,
  { object_key: key, object_version: version }: Pick<StoredJob, "object_key" | "object_version">,
): Promise<ByteSource> => {
  const source = await store.open(key);
  if (source && (source.version ?? "") === version) return source;
  throw new AppError("not_found", {
    message: source
      ? "The upload was replaced by another one while the job waited."
      : "The upload is not there any more; it is kept for a day.",
  });
};

/**
 * Finds out how a job's recording is cut, and lets its account's places know that there is work.
 *
 * A place that is at work already looks for more by itself, and finds the job: a message to it too many does nothing.
 *
 * @returns in how many seconds it is to be tried again; `undefined` when it is done.
 */
export const planJob = async (
  name: JobName,
  dependencies: PlanDependencies,
  signal: AbortSignal,
): Promise<number | undefined> => {
  const { jobs, store, cutter, queue, timeouts, slotsPerAccount } = dependencies;
  const job = await jobs.beginPlanning(name);
  if (job) {
    const startedAt = Date.now();
    try {
      if (job.plannings > maxPlannings) throw new AppError("internal");
      const source = await openJobRecording(store, job);
      const pieces = await cutter.plan(source, job.facts, signal);
      await putJson(store, jobObjects.plan(name), pieces);
      await jobs.start(name, pieces.length);
    } catch (error) {
      const failures = job.plannings - 1;
      const verdict = judgeFailure(error, { failures }, timeouts, startedAt, Date.now());
      if (verdict.kind === "again") return (verdict.next.due_at - Date.now()) / 1_000;
      await jobs.fail(name, verdict.error);
    }
  }
  const planned = await jobs.read(name);
  // One that its owner has deleted is left to the message that says so.
  if (planned?.status === "failed") await finishJob(name, dependencies);
  if (planned?.status !== "running") return undefined;
  for (let slot = 0; slot < slotsPerAccount; slot += 1) {
    await queue.send({ kind: "piece", userId: name.userId, place: slot });
  }
  return undefined;
};
