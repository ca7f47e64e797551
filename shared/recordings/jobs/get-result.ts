import { contentTypeOf } from "../../documents/document-formats.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { type StoredTranslation, translatedFileName } from "./job.ts";
import { writeJobDocument } from "./job-document.ts";
import type { JobResult } from "./job-result.ts";
import { type JobName, jobObjects } from "./keys.ts";
import { recordingResult } from "./recording-result.ts";
import {
  expired,
  notCompleted,
  type ResultDependencies,
  type ResultQuery,
  type WrittenResult,
} from "./result-query.ts";
import { requireJob } from "./show-jobs.ts";

/** @throws AppError `bad_request`, `not_found`, `job_not_completed`. */
const documentOf = async (
  name: JobName,
  job: StoredTranslation,
  { format, language, partial }: ResultQuery,
  store: ResultDependencies["store"],
): Promise<WrittenResult> => {
  if (language !== undefined) {
    const message = "A translated document has one language; leave `language` out.";
    throw new AppError("bad_request", { message, param: "language" });
  }
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

/**
 * Returns the transcript of a job in the requested format, a translation of it, or the translated document.
 *
 * @throws AppError `bad_request`, `not_found`, `job_not_completed`; the store's errors.
 */
export const getResult = async (
  name: JobName,
  query: ResultQuery,
  { jobs, store }: ResultDependencies,
): Promise<JobResult | WrittenResult> => {
  const job = await requireJob(name, jobs);
  return job.type === "translation"
    ? documentOf(name, job, query, store)
    : recordingResult(name, job, query, store);
};
