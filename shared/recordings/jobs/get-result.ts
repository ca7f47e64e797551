import { contentTypeOf } from "../../documents/document-formats.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { ObjectStore } from "../../platform/storage/object-store.ts";
import { stitch } from "../transcripts/stitch.ts";
import { toSubRip, toWebVtt } from "../transcripts/subtitles.ts";
import {
  type StoredJob,
  type StoredTranscription,
  type StoredTranslation,
  translatedFileName,
} from "./job.ts";
import { writeJobDocument } from "./job-document.ts";
import { readTranscribedPieces, readTranscript } from "./job-objects.ts";
import type { JobResult, JobSegment, resultFormats } from "./job-result.ts";
import type { JobsRepository } from "./jobs-repository.ts";
import { type JobName, jobObjects } from "./keys.ts";
import { requireJob } from "./show-jobs.ts";
import type { JobTranscript } from "./transcribed-piece.ts";

export interface ResultDependencies {
  readonly jobs: Pick<JobsRepository, "find">;
  readonly store: Pick<ObjectStore, "open">;
}

export interface ResultQuery {
  /** Of a transcript, by default JSON; a translated document has the format of its source. */
  readonly format?: (typeof resultFormats)[number] | undefined;
  readonly partial: boolean;
}

/** A result that is not JSON. */
export interface WrittenResult {
  readonly contentType: string;
  /** For documents. */
  readonly fileName?: string;
  readonly body: string | Uint8Array;
}

const notCompleted = ({ status, error }: StoredJob): AppError =>
  new AppError("job_not_completed", {
    message:
      status === "failed" || status === "cancelled"
        ? `The job has ${status === "failed" ? "failed" : "been cancelled"}: ${error?.message ?? "the reason is unknown."} Use partial=true to get what was done before.`
        : undefined,
  });

const expired = (): AppError =>
  new AppError("not_found", { message: "The result has expired.", param: "id" });

const transcriptOf = async (
  name: JobName,
  job: StoredTranscription,
  { partial }: Pick<ResultQuery, "partial">,
  store: ResultDependencies["store"],
): Promise<JobTranscript> => {
  if (job.status === "completed") {
    const transcript = await readTranscript(store, name);
    if (transcript) return transcript;
    throw expired();
  }
  if (!partial) throw notCompleted(job);
  return stitch(await readTranscribedPieces(store, name, job));
};

const secondsOf = ({ audio_milliseconds: milliseconds }: StoredTranscription): number => milliseconds / 1_000;

/** Without times from the model, the whole text becomes one segment. */
const timedOf = ({ text, segments, words }: JobTranscript, job: StoredTranscription) => ({
  segments: segments ?? (text === "" ? [] : [{ start: 0, end: secondsOf(job), text }]),
  words,
});

/**
 * Returns the segments that a job has transcribed so far.
 *
 * @throws AppError `not_found` for a result that has expired; the store's errors.
 */
export const readSegments = async (
  name: JobName,
  job: StoredTranscription,
  store: ResultDependencies["store"],
): Promise<readonly JobSegment[]> =>
  timedOf(await transcriptOf(name, job, { partial: true }, store), job).segments;

/** @throws AppError `bad_request`, `not_found`, `job_not_completed`. */
const documentOf = async (
  name: JobName,
  job: StoredTranslation,
  { format, partial }: ResultQuery,
  store: ResultDependencies["store"],
): Promise<WrittenResult> => {
  if (format !== undefined) {
    const message = `A translated document has the format of its source, here ${job.format}; leave \`format\` out.`;
    throw new AppError("bad_request", { message, param: "format" });
  }
  const file = { contentType: contentTypeOf(job.format), fileName: translatedFileName(job) };
  if (job.status === "completed") {
    const result = await store.open(jobObjects.result(name));
    if (!result) throw expired();
    return { ...file, body: await result.read(0, result.size) };
  }
  if (!partial) throw notCompleted(job);
  const source = await store.open(jobObjects.recording(name));
  if (!source) throw expired();
  return { ...file, body: (await writeJobDocument(name, job, source, store)).bytes };
};

const writeTranscript = (
  transcript: JobTranscript,
  job: StoredTranscription,
  format: (typeof resultFormats)[number],
): JobResult | WrittenResult => {
  switch (format) {
    case "json":
      return {
        text: transcript.text,
        ...(job.timestamps ? { segments: [...timedOf(transcript, job).segments] } : {}),
        language: job.language,
        duration_seconds: secondsOf(job),
      };
    case "text":
      return { contentType: "text/plain; charset=utf-8", body: `${transcript.text}\n` };
    case "srt":
      return { contentType: "application/x-subrip; charset=utf-8", body: toSubRip(timedOf(transcript, job)) };
    case "vtt":
      return { contentType: "text/vtt; charset=utf-8", body: toWebVtt(timedOf(transcript, job)) };
  }
};

/**
 * Returns the transcript of a job in the requested format, or the translated document.
 *
 * @throws AppError `bad_request`, `not_found`, `job_not_completed`; the store's errors.
 */
export const getResult = async (
  name: JobName,
  query: ResultQuery,
  { jobs, store }: ResultDependencies,
): Promise<JobResult | WrittenResult> => {
  const job = await requireJob(name, jobs);
  if (job.type === "translation") return documentOf(name, job, query, store);
  return writeTranscript(await transcriptOf(name, job, query, store), job, query.format ?? "json");
};
