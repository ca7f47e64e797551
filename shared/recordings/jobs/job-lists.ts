import * as z from "zod";
import type { Table, TableWrite } from "../../platform/storage/table.ts";
import type { StoredJob } from "./job.ts";
import { type JobList, type JobName, jobKeys } from "./keys.ts";

const listedItem = z.object({ job_id: z.string(), user_id: z.int() });

const nameOf = ({ id, user_id: userId }: StoredJob): JobName => ({ userId, jobId: id });

/** The entry of a job in a list. It only leads to the job, so it is never out of date. */
const entryOf = (job: StoredJob, list: JobList): TableWrite => ({
  put: {
    ...jobKeys[list](nameOf(job)),
    job_id: job.id,
    user_id: job.user_id,
    expires_at: job.expires_at,
  },
});

/** The write that lists a new job, for the transaction that creates it. */
export const jobBeginning = (job: StoredJob): TableWrite => entryOf(job, "open");

/** The writes that move a job that ends between the lists, for the transaction of its end. */
export const jobEndings = (job: StoredJob, status: StoredJob["status"]): TableWrite[] => [
  { delete: jobKeys.open(nameOf(job)) },
  ...(status === "failed" ? [entryOf(job, "failed")] : []),
];

/** The writes that move a failed job back, for the transaction that queues it again. */
export const jobReturns = (job: StoredJob): TableWrite[] => [
  entryOf(job, "open"),
  { delete: jobKeys.failed(nameOf(job)) },
];

/**
 * Returns jobs of all accounts, the newest first; access patterns J5 and J6 of this folder's README. Jobs of the messaging assistant
 * are in no list.
 *
 * @param before only jobs that are older than the one with this id.
 */
export const listJobNames = async (
  table: Pick<Table, "query">,
  list: JobList,
  limit: number,
  before: string | undefined,
): Promise<JobName[]> => {
  const after = before === undefined ? undefined : jobKeys[list]({ jobId: before });
  const { PK: partition } = jobKeys[list]({ jobId: "" });
  const items = await table.query({ partition, descending: true, limit, after });
  return items
    .map((item) => listedItem.parse(item))
    .map(({ job_id: jobId, user_id: userId }) => ({ userId, jobId }));
};
