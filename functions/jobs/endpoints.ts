import { attachmentNamed } from "../../shared/http/attachment.ts";
import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { inOnePiece, Reply, ReplyWithHeaders } from "../../shared/http/response.ts";
import { type DeleteDependencies, deleteJob } from "../../shared/recordings/jobs/delete-job.ts";
import {
  getResult,
  type ResultDependencies,
  type WrittenResult,
} from "../../shared/recordings/jobs/get-result.ts";
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

export interface JobDependencies
  extends CreateDependencies,
    DeleteDependencies,
    ResultDependencies,
    ShowDependencies {
  readonly jobs: JobsRepository;
  readonly queue: CreateDependencies["queue"];
  readonly store: CreateDependencies["store"] & ResultDependencies["store"];
}

/** Documents are sent as files, transcripts as text. */
const fileReply = ({ contentType, fileName, body }: WrittenResult): Reply =>
  new Reply({
    contentType,
    headers: fileName === undefined ? {} : { "Content-Disposition": attachmentNamed(fileName) },
    body: typeof body === "string" ? body : inOnePiece(body),
  });

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
