import { audioKinds } from "../../shared/audio/encode/audio-formats.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { StoredTranscription } from "../../shared/recordings/jobs/job.ts";
import { putJson } from "../../shared/recordings/jobs/job-objects.ts";
import { nextStage } from "../../shared/recordings/jobs/job-stages.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { joinSpokenPieces, readSpokenPieces } from "../../shared/recordings/jobs/spoken-recording.ts";
import type { JobStage } from "../../shared/recordings/jobs/target.ts";
import {
  readPartialTranslation,
  readTranscriptSegments,
  type SpokenPart,
} from "../../shared/recordings/jobs/translated-recording.ts";
import { planPiecesOf, speechLimits, translationLimits } from "./plan-stage.ts";
import { readSpeechParts } from "./speak-segments.ts";

export interface StageDependencies {
  readonly jobs: Pick<JobsRepository, "beginStage">;
  readonly store: Pick<ObjectStore, "open" | "put" | "write">;
}

const assembleTranslations = async (
  name: JobName,
  job: StoredTranscription,
  { languages }: JobStage,
  { store }: StageDependencies,
): Promise<void> => {
  for (const language of languages) {
    const texts = await readPartialTranslation(store, name, job, language);
    await putJson(store, jobObjects.translation(name, language), texts);
  }
};

/** Joins the spoken parts of each language into one file, as long as the recording, and notes how they are spoken. */
const assembleSpeech = async (
  name: JobName,
  job: StoredTranscription,
  { languages }: JobStage,
  { store }: StageDependencies,
): Promise<void> => {
  for (const language of languages) {
    const writer = store.write(jobObjects.speech(name, language), {
      contentType: audioKinds.opus.contentType,
    });
    try {
      for await (const bytes of joinSpokenPieces(store, name, job, language)) await writer.write(bytes);
      await writer.complete();
    } finally {
      await writer.abort();
    }
    const parts: SpokenPart[] = [];
    for await (const piece of readSpokenPieces(store, name, job, language)) {
      for (const { segment, speed, fits } of piece) parts.push({ segment, speed, fits });
    }
    await putJson(store, jobObjects.spokenParts(name, language), parts);
  }
};

/** Writes the results of a stage whose pieces are all done. */
export const assembleStage = (
  name: JobName,
  job: StoredTranscription,
  stage: JobStage,
  dependencies: StageDependencies,
): Promise<void> =>
  stage.kind === "translate"
    ? assembleTranslations(name, job, stage, dependencies)
    : assembleSpeech(name, job, stage, dependencies);

const planStage = async (
  name: JobName,
  job: StoredTranscription,
  { kind, languages }: Pick<JobStage, "kind" | "languages">,
  store: StageDependencies["store"],
) => {
  if (kind === "translate") {
    const segments = await readTranscriptSegments(store, name, job);
    if (!segments) throw new AppError("internal");
    return languages.flatMap((language) => planPiecesOf(language, segments, translationLimits));
  }
  const parts = await Promise.all(languages.map((language) => readSpeechParts(store, name, job, language)));
  return parts.flatMap((each, index) => planPiecesOf(languages[index] ?? "", each, speechLimits));
};

/**
 * Plans what the targets of a recording still need, once all pieces so far are done, and starts it.
 *
 * @returns whether anything was left to do.
 */
export const beginNextStage = async (
  name: JobName,
  job: StoredTranscription,
  { jobs, store }: StageDependencies,
): Promise<boolean> => {
  const next = nextStage(job);
  if (!next || job.pieces === undefined) return false;
  const stage = { ...next, from: job.pieces };
  const pieces = await planStage(name, job, next, store);
  await putJson(store, jobObjects.stagePlan(name, stage.from), pieces);
  await jobs.beginStage(name, stage, pieces.length, job.stages.length);
  return true;
};
