import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { ReplyWithHeaders } from "../../shared/http/response.ts";
import {
  addTargets,
  measureTargets,
  type TargetsDependencies,
} from "../../shared/recordings/jobs/add-targets.ts";
import { type DeleteDependencies, deleteJob } from "../../shared/recordings/jobs/delete-job.ts";
import { getResult } from "../../shared/recordings/jobs/get-result.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import type { ResultDependencies } from "../../shared/recordings/jobs/result-query.ts";
import { listJobs, type ShowDependencies, showJob } from "../../shared/recordings/jobs/show-jobs.ts";
import {
  addTargetsOperation,
  createJobOperation,
  deleteJobOperation,
  getJobOperation,
  getJobResultOperation,
  listJobsOperation,
} from "./contract.ts";
import { type CreateDependencies, createdView, createJob } from "./create-job.ts";
import {
  deeplDocumentOperation,
  deeplDocumentResultOperation,
  deeplDocumentStatusOperation,
} from "./deepl/contract.ts";
import { createDeeplDocument, getDeeplResult, showDeeplDocument } from "./deepl/documents.ts";
import { fileReply } from "./file-reply.ts";
import { libreTranslateFileOperation } from "./libretranslate/contract.ts";
import { type FileTranslationDependencies, translateFile } from "./libretranslate/translate-file.ts";
import { requireCapacity, workOnTargets } from "./require-capacity.ts";
import type { StoringDependencies } from "./store-file.ts";

export interface JobDependencies
  extends CreateDependencies,
    DeleteDependencies,
    ResultDependencies,
    ShowDependencies,
    TargetsDependencies {
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
      async ({ path: { id: jobId }, query: { language, format, partial }, caller: { userId } }) => {
        const requested = { language, format, partial: partial === "true" };
        const result = await getResult({ userId, jobId }, requested, dependencies);
        return "contentType" in result ? fileReply(result) : result;
      },
    ),
    endpoint(addTargetsOperation, async ({ path: { id: jobId }, body, caller: { userId } }) => {
      const name = { userId, jobId };
      const measured = await measureTargets(name, body.targets, dependencies);
      const works = workOnTargets(measured.targets, measured.characters);
      const seconds = await requireCapacity(userId, works, dependencies);
      return createdView(await addTargets(name, measured, dependencies), seconds);
    }),
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
