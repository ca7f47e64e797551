import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { ReplyWithHeaders } from "../../shared/http/response.ts";
import { type DeleteDependencies, deleteJob } from "../../shared/recordings/jobs/delete-job.ts";
import { getResult, type ResultDependencies } from "../../shared/recordings/jobs/get-result.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { listJobs, type ShowDependencies, showJob } from "../../shared/recordings/jobs/show-jobs.ts";
import {
  createJobOperation,
  deleteJobOperation,
  getJobOperation,
  getJobResultOperation,
  listJobsOperation,
} from "./contract.ts";
import { type CreateDependencies, createJob } from "./create-job.ts";
import {
  deeplDocumentOperation,
  deeplDocumentResultOperation,
  deeplDocumentStatusOperation,
} from "./deepl/contract.ts";
import { createDeeplDocument, getDeeplResult, showDeeplDocument } from "./deepl/documents.ts";
import { fileReply } from "./file-reply.ts";
import { libreTranslateFileOperation } from "./libretranslate/contract.ts";
import { type FileTranslationDependencies, translateFile } from "./libretranslate/translate-file.ts";
import type { StoringDependencies } from "./store-file.ts";

export interface JobDependencies
  extends CreateDependencies,
    DeleteDependencies,
    ResultDependencies,
    ShowDependencies {
  readonly jobs: JobsRepository;
  readonly queue: CreateDependencies["queue"];
  readonly store: CreateDependencies["store"] & ResultDependencies["store"];
}

/** Binds the operations of jobs to their use cases. */
export const jobEndpoints = (dependencies: JobDependencies): Endpoint[] => {
  const { jobs } = dependencies;
  return [
    endpoint(createJobOperation, async ({ body, caller, request: { basePath, signal } }) => {
      const job = await createJob(body, caller, signal, dependencies);
      return new ReplyWithHeaders(job, { Location: `${basePath}${createJobOperation.path}/${job.id}` });
    }),
    endpoint(listJobsOperation, ({ query, caller: { userId } }) => listJobs(userId, query, jobs)),
    endpoint(getJobOperation, ({ path: { id: jobId }, caller: { userId } }) =>
      showJob({ userId, jobId }, dependencies),
    ),
    endpoint(
      getJobResultOperation,
      async ({ path: { id: jobId }, query: { format, partial }, caller: { userId } }) => {
        const requested = { format, partial: partial === "true" };
        const result = await getResult({ userId, jobId }, requested, dependencies);
        return "contentType" in result ? fileReply(result) : result;
      },
    ),
    endpoint(deleteJobOperation, async ({ path: { id: jobId }, caller: { userId } }) => {
      await deleteJob({ userId, jobId }, dependencies);
      return null;
    }),
  ];
};

/** Documents of clients of DeepL and LibreTranslate. */
export const dialectEndpoints = (
  dependencies: JobDependencies & StoringDependencies & FileTranslationDependencies,
): Endpoint[] => [
  endpoint(deeplDocumentOperation, ({ body, caller, request: { signal } }) =>
    createDeeplDocument(body, caller, signal, dependencies),
  ),
  endpoint(deeplDocumentStatusOperation, ({ path: { id: jobId }, body, caller: { userId } }) =>
    showDeeplDocument({ userId, jobId }, body.document_key, dependencies),
  ),
  endpoint(deeplDocumentResultOperation, async ({ path: { id: jobId }, body, caller: { userId } }) =>
    fileReply(await getDeeplResult({ userId, jobId }, body.document_key, dependencies)),
  ),
  endpoint(libreTranslateFileOperation, ({ body, caller: { userId }, request: { signal } }) =>
    translateFile(body, { userId, signal }, dependencies),
  ),
];
