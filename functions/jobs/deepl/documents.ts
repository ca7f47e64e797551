import type { Caller } from "../../../shared/accounts/access/caller.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { getResult } from "../../../shared/recordings/jobs/get-result.ts";
import type { StoredTranslation } from "../../../shared/recordings/jobs/job.ts";
import type { JobName } from "../../../shared/recordings/jobs/keys.ts";
import type { ResultDependencies, WrittenResult } from "../../../shared/recordings/jobs/result-query.ts";
import { requireJob, type ShowDependencies } from "../../../shared/recordings/jobs/show-jobs.ts";
import { type CreateDependencies, createJob } from "../create-job.ts";
import { removeFile, type StoringDependencies, storeFile } from "../store-file.ts";
import type { DeeplDocumentRequest, DeeplDocumentStatus } from "./contract.ts";

/** The key of a document follows from its upload, whose id no one can guess. */
const keyOf = (fileId: string): string => fileId.replaceAll("-", "").toUpperCase();

/**
 * Creates a job that translates a document. Its upload is removed, because the job has a copy of it.
 *
 * @throws AppError as {@link createJob} and {@link storeFile} do.
 */
export const createDeeplDocument = async (
  { file, filename, source_lang: source, target_lang: target }: DeeplDocumentRequest,
  { userId, keyId }: Pick<Caller, "userId" | "keyId">,
  signal: AbortSignal,
  dependencies: CreateDependencies & StoringDependencies,
) => {
  const name = filename ?? file.filename;
  const upload = { name, content: file.content, contentType: "application/octet-stream", userId };
  const stored = await storeFile(upload, dependencies);
  try {
    const { id } = await createJob(
      { type: "translation", file_id: stored.fileId, source_language: source, target_language: target },
      { userId, keyId },
      signal,
      dependencies,
    );
    return { document_id: id, document_key: keyOf(stored.fileId) };
  } finally {
    await removeFile(stored, dependencies);
  }
};

/** @throws AppError `not_found` alike for documents that are unknown, expired or of another account, and for a wrong key. */
const requireDocument = async (
  name: JobName,
  documentKey: string,
  { jobs }: Pick<ShowDependencies, "jobs">,
): Promise<StoredTranslation> => {
  const job = await requireJob(name, jobs);
  if (job.type === "translation" && keyOf(job.file_id) === documentKey) return job;
  throw new AppError("not_found", {
    message: "There is no such document, or its key is wrong.",
    param: "document_key",
  });
};

const statusOf: Readonly<Record<StoredTranslation["status"], DeeplDocumentStatus["status"]>> = {
  queued: "queued",
  running: "translating",
  completed: "done",
  failed: "error",
  cancelled: "error",
};

/** Returns the status of a document for clients of DeepL. @throws AppError `not_found`. */
export const showDeeplDocument = async (
  name: JobName,
  documentKey: string,
  dependencies: Pick<ShowDependencies, "jobs">,
): Promise<DeeplDocumentStatus> => {
  const {
    status,
    done_characters: characters,
    error,
  } = await requireDocument(name, documentKey, dependencies);
  return {
    document_id: name.jobId,
    status: statusOf[status],
    ...(status === "completed" ? { billed_characters: characters } : {}),
    ...(error ? { error_message: error.message } : {}),
  };
};

/**
 * Returns a translated document.
 *
 * @throws AppError `not_found`, `job_not_completed`, `bad_request` for one that could not be translated; the store's errors.
 */
export const getDeeplResult = async (
  name: JobName,
  documentKey: string,
  dependencies: ResultDependencies,
): Promise<WrittenResult> => {
  const { status, error } = await requireDocument(name, documentKey, dependencies);
  if (status === "failed") {
    throw new AppError("bad_request", { message: error?.message ?? "The document could not be translated." });
  }
  const result = await getResult(name, { partial: false }, dependencies);
  if ("contentType" in result) return result;
  throw new AppError("internal");
};
