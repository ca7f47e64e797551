import { AppError } from "../../platform/errors/app-error.ts";
import type { ObjectStore } from "../../platform/storage/object-store.ts";
import { stitch } from "../transcripts/stitch.ts";
import { toSubRip, toWebVtt } from "../transcripts/subtitles.ts";
import type { StoredJob } from "./job.ts";
import { readTranscribedPieces, readTranscript } from "./job-objects.ts";
import type { JobResult, JobSegment, resultFormats } from "./job-result.ts";
import type { JobsRepository } from "./jobs-repository.ts";
import type { JobName } from "./keys.ts";
import { requireJob } from "./show-jobs.ts";
import type { JobTranscript } from "./transcribed-piece.ts";

export interface ResultDependencies {
  readonly jobs: Pick<JobsRepository, "find">;
  readonly store: Pick<ObjectStore, "open">;
}

export interface ResultQuery {
  readonly format: (typeof resultFormats)[number];
  readonly partial: boolean;
}

/** A result in a format other than JSON. */
interface WrittenResult {
  readonly contentType: string;
  readonly body: string;
}

const notCompleted = ({ status, error }: StoredJob): AppError =>
  new AppError("job_not_completed", {
    message:
      status === "failed"
        ? `The job has failed: ${error?.message ?? "the reason is unknown."} Use partial=true to get what was transcribed before.`
        : undefined,
  });

const transcriptOf = async (
  name: JobName,
  job: StoredJob,
  { partial }: Pick<ResultQuery, "partial">,
  store: ResultDependencies["store"],
): Promise<JobTranscript> => {
  if (job.status === "completed") {
    const transcript = await readTranscript(store, name);
    if (transcript) return transcript;
    throw new AppError("not_found", { message: "The result has expired.", param: "id" });
  }
  if (!partial) throw notCompleted(job);
  return stitch(await readTranscribedPieces(store, name, job));
};

const secondsOf = ({ audio_milliseconds: milliseconds }: StoredJob): number => milliseconds / 1_000;

/** Without times from the model, the whole text becomes one segment. */
const timedOf = ({ text, segments, words }: JobTranscript, job: StoredJob) => ({
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
  job: StoredJob,
  store: ResultDependencies["store"],
): Promise<readonly JobSegment[]> =>
  timedOf(await transcriptOf(name, job, { partial: true }, store), job).segments;

/**
 * Returns the transcript of a job in the requested format.
 *
 * @throws AppError `not_found`, `job_not_completed`; the store's errors.
 */
export const getResult = async (
  name: JobName,
  { format, partial }: ResultQuery,
  { jobs, store }: ResultDependencies,
): Promise<JobResult | WrittenResult> => {
  const job = await requireJob(name, jobs);
  const transcript = await transcriptOf(name, job, { partial }, store);
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
