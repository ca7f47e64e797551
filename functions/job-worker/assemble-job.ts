import { contentTypeOf } from "../../shared/documents/document-formats.ts";
import { mostlyUntranslated } from "../../shared/documents/request-passage.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import {
  hasTranscript,
  type StoredJob,
  type StoredTranscription,
  type StoredTranslation,
} from "../../shared/recordings/jobs/job.ts";
import { writeJobDocument } from "../../shared/recordings/jobs/job-document.ts";
import { putJson, readTranscribedPieces } from "../../shared/recordings/jobs/job-objects.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import type { JobTranscript, TranscribedPiece } from "../../shared/recordings/jobs/transcribed-piece.ts";
import { assembleStage, beginNextStage, type StageDependencies } from "./assemble-stage.ts";
import { type EndDependencies, finishJob, removeObjects } from "./finish-job.ts";
import { openJobRecording, planAgain } from "./plan-job.ts";
import { type SlotDependencies, startSlots } from "./start-slots.ts";

export interface AssemblyDependencies extends EndDependencies, SlotDependencies {
  readonly jobs: EndDependencies["jobs"] &
    StageDependencies["jobs"] &
    Pick<
      JobsRepository,
      "complete" | "completeTargets" | "completeTranslation" | "fail" | "forgetPlan" | "noteLanguage"
    >;
  readonly store: Pick<ObjectStore, "delete" | "list" | "open" | "put" | "write">;
  readonly stitch: (pieces: readonly TranscribedPiece[]) => JobTranscript;
}

const assembleTranslation = async (
  name: JobName,
  job: StoredTranslation,
  dependencies: AssemblyDependencies,
): Promise<void> => {
  const { jobs, store } = dependencies;
  const source = await openJobRecording(store, job);
  const written = await writeJobDocument(name, job, source, store);
  if (!written.isCurrent) return planAgain(name, job, dependencies);
  const { bytes, untranslated, isUntranslated } = written;
  if (isUntranslated) {
    const { code, message } = mostlyUntranslated();
    if (await jobs.fail(name, { error: { code, message }, untranslated }))
      logger.warn("job.failed", { code });
    return;
  }
  await store.put(jobObjects.result(name), bytes, { contentType: contentTypeOf(job.format) });
  await jobs.completeTranslation(name, untranslated);
};

type SpokenTranscript = JobTranscript & { readonly language?: string };

/** The language of most of a transcript; its segments say theirs only where it changes. */
const withLanguage = (transcript: JobTranscript): SpokenTranscript => {
  const { segments = [], ...others } = transcript;
  const seconds = new Map<string, number>();
  for (const { start, end, language } of segments)
    if (language !== undefined) seconds.set(language, (seconds.get(language) ?? 0) + end - start);
  const [most] = [...seconds].toSorted(([, one], [, other]) => other - one);
  if (!most) return transcript;
  const [language] = most;
  if (seconds.size > 1) return { ...transcript, language };
  return { ...others, language, segments: segments.map(({ language: _, ...segment }) => segment) };
};

/** Writes the results of the stage that is done, and starts the next one or completes the job. */
const assembleTranscription = async (
  name: JobName,
  job: StoredTranscription,
  dependencies: AssemblyDependencies,
): Promise<void> => {
  const { jobs, store, stitch } = dependencies;
  if (!hasTranscript(job)) {
    const transcript = stitch(await readTranscribedPieces(store, name, job));
    const { language, ...result }: SpokenTranscript = job.languages ? withLanguage(transcript) : transcript;
    await putJson(store, jobObjects.result(name), result);
    if (language !== undefined) await jobs.noteLanguage(name, language);
  }
  // Those before it have results.
  const stage = job.stages[job.assembled_stages];
  if (stage) await assembleStage(name, job, stage, dependencies);
  if (job.targets.length === 0) await jobs.complete(name);
  else if (!(await beginNextStage(name, job, dependencies))) {
    await jobs.completeTargets(name, job.stages.length);
  }
};

/** A job that failed or was removed in the meantime must not leave a result behind. */
const removeLateResults = async (
  name: JobName,
  ended: StoredJob | undefined,
  { store }: AssemblyDependencies,
): Promise<void> => {
  if (!ended) await removeObjects(name, store);
  else if (ended.status === "failed" && !(ended.type === "transcription" && hasTranscript(ended))) {
    await store.delete(jobObjects.result(name));
  }
};

/**
 * Joins the pieces into one result when all of them are done, and completes the job or starts the work on its targets. If two
 * workers do it, both write the same results and only one changes the job.
 */
export const assembleJob = async (name: JobName, dependencies: AssemblyDependencies): Promise<void> => {
  const { jobs } = dependencies;
  const job = await jobs.read(name);
  if (job?.status === "running" && job.done.size === job.pieces) {
    if (job.type === "translation") await assembleTranslation(name, job, dependencies);
    else await assembleTranscription(name, job, dependencies);
    await removeLateResults(name, await jobs.read(name), dependencies);
  } else if (job?.status === "queued") {
    // A worker that is killed after it has forgotten the plan has not sent the message for another.
    await dependencies.queue.send({ kind: "plan", ...name });
  }
  // Also for a stage that a killed worker has started.
  await startSlots(name, dependencies);
  await finishJob(name, dependencies);
};
