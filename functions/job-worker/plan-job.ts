import * as z from "zod";
import type { AudioFacts } from "../../shared/audio/reading/container.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ByteSource } from "../../shared/platform/outbound/byte-source.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { StoredJob, StoredTranslation } from "../../shared/recordings/jobs/job.ts";
import {
  openDocumentOnce,
  putTranslationPlan,
  readTranslationPlan,
} from "../../shared/recordings/jobs/job-document.ts";
import { putJson } from "../../shared/recordings/jobs/job-objects.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { type EndDependencies, finishJob } from "./finish-job.ts";
import { type JobTimeouts, judgeFailure } from "./judge-failure.ts";
import { planTranslation } from "./plan-translation.ts";
import { type SlotDependencies, startSlots } from "./start-slots.ts";

/** A part of a recording. The cutter adds fields of its own, which this file does not read. */
export const plannedPiece = z.looseObject({
  index: z.int(),
  /** Seconds in the recording. Neighbouring pieces overlap. */
  start: z.number(),
  end: z.number(),
  mediaType: z.string(),
  fileExtension: z.string(),
});
export type PlannedPiece = z.infer<typeof plannedPiece>;

/** Cuts recordings without decoding them. All methods throw an audio error for a recording that cannot be cut. */
export interface Cutter {
  plan(source: ByteSource, facts: AudioFacts, signal: AbortSignal): Promise<readonly PlannedPiece[]>;
  cut(source: ByteSource, piece: PlannedPiece, signal: AbortSignal): Promise<Uint8Array>;
  /** Cuts the next part of a piece. @param limits.from where the part before it ends, in seconds of the piece. */
  cutPart(
    piece: Uint8Array,
    limits: { readonly from: number; readonly maxSeconds: number },
    signal: AbortSignal,
  ): Promise<PiecePart>;
}

/** A part of a piece, as a file of its own. */
export interface PiecePart {
  /** Seconds in the piece. Neighbouring parts overlap. */
  readonly start: number;
  readonly end: number;
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

export interface PlanDependencies extends EndDependencies, SlotDependencies {
  readonly jobs: EndDependencies["jobs"] &
    Pick<JobsRepository, "beginPlanning" | "fail" | "forgetPlan" | "start">;
  readonly store: Pick<ObjectStore, "delete" | "list" | "open" | "put">;
  readonly cutter: Cutter;
  readonly timeouts: JobTimeouts;
}

/** A recording whose planning is killed this often fails the job. */
const maxPlannings = 8;

/**
 * Opens the recording of a job: its copy or, for jobs of older versions, the upload itself.
 *
 * @throws AppError `not_found` when it is missing or was replaced.
 */
export const openJobRecording = async (
  store: Pick<ObjectStore, "open">,
  {
    user_id: userId,
    id: jobId,
    object_key: key,
    object_version: version,
  }: Pick<StoredJob, "id" | "object_key" | "object_version" | "user_id">,
): Promise<ByteSource> => {
  const copy = await store.open(jobObjects.recording({ userId, jobId }));
  if (copy) return copy;
  const source = await store.open(key);
  if (source && (source.version ?? "") === version) return source;
  throw new AppError("not_found", {
    message: source
      ? "The upload was replaced while the job was waiting."
      : "The recording no longer exists.",
  });
};

/** Plans the pieces of a job. @returns their number. */
const writePlan = async (
  name: JobName,
  job: StoredJob,
  { store, cutter }: PlanDependencies,
  signal: AbortSignal,
): Promise<number> => {
  const source = await openJobRecording(store, job);
  if (job.type === "translation") {
    const pieces = planTranslation(await openDocumentOnce(source, job));
    await putTranslationPlan(store, name, pieces);
    return pieces.length;
  }
  const pieces = await cutter.plan(source, job.facts, signal);
  await putJson(store, jobObjects.plan(name), pieces);
  return pieces.length;
};

/**
 * Returns how many pieces a job that is queued again has: it keeps its plan, because some pieces may be done, unless another version
 * of the readers has made it.
 */
const knownPieces = async (
  name: JobName,
  job: StoredJob,
  { jobs, store }: PlanDependencies,
): Promise<number | undefined> => {
  if (job.type === "transcription" || job.pieces === undefined) return job.pieces;
  if (await readTranslationPlan(store, name)) return job.pieces;
  await jobs.forgetPlan(name, job);
  return undefined;
};

/** Plans the job of a document again that another version of the readers has planned, as if it were new. */
export const planAgain = async (
  name: JobName,
  job: StoredTranslation,
  { jobs, queue }: Pick<PlanDependencies, "queue"> & { readonly jobs: Pick<JobsRepository, "forgetPlan"> },
): Promise<void> => {
  await jobs.forgetPlan(name, job);
  await queue.send({ kind: "plan", ...name });
};

/**
 * Plans the pieces of a job and starts the account's slots.
 *
 * @returns the seconds until the next attempt; `undefined` when it is done.
 */
export const planJob = async (
  name: JobName,
  dependencies: PlanDependencies,
  signal: AbortSignal,
): Promise<number | undefined> => {
  const { jobs, timeouts } = dependencies;
  const job = await jobs.beginPlanning(name);
  if (job) {
    const startedAt = Date.now();
    try {
      if (job.plannings > maxPlannings) throw new AppError("internal");
      await jobs.start(
        name,
        (await knownPieces(name, job, dependencies)) ?? (await writePlan(name, job, dependencies, signal)),
      );
    } catch (error) {
      const failures = job.plannings - 1;
      const verdict = judgeFailure(error, { failures }, timeouts, startedAt, Date.now());
      if (verdict.kind === "again") return (verdict.next.due_at - Date.now()) / 1_000;
      await jobs.fail(name, { error: verdict.error });
    }
  }
  const planned = await jobs.read(name);
  // A deleted job is finished by the message of its deletion.
  if (planned?.status === "failed") await finishJob(name, dependencies);
  await startSlots(name, dependencies);
  return undefined;
};
