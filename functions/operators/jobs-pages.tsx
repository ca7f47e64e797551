import type { AuditLog } from "../../shared/accounts/operators/audit-log.ts";
import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { type BoundPage, page } from "../../shared/pages/server/page.ts";
import { redirect, shown } from "../../shared/pages/server/responses.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { isOver, type StoredJob } from "../../shared/recordings/jobs/job.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import type { JobList } from "../../shared/recordings/jobs/keys.ts";
import { namesOf } from "./account-names.ts";
import { JobsList } from "./jobs-list.tsx";
import { cancelJob, type OperateDependencies, retryJob } from "./operate-job.ts";
import { adminJobsPage } from "./pages.ts";

/** What the page of jobs uses. */
export interface JobsPageDependencies extends OperateDependencies {
  readonly jobs: OperateDependencies["jobs"] & Pick<JobsRepository, "listAll">;
  readonly accounts: Pick<AccountsRepository, "find">;
  readonly audit: AuditLog;
}

const jobsPerPage = 25;

/** The state that a list is about: its entries may be a moment older than the jobs. */
const belongsTo = (list: JobList, job: StoredJob): boolean =>
  list === "failed" ? job.status === "failed" && !job.is_deleted : !isOver(job);

const readList = async (
  list: JobList,
  from: string | undefined,
  { jobs }: JobsPageDependencies,
): Promise<{ readonly jobs: readonly StoredJob[]; readonly next: string | undefined }> => {
  // One more than is shown reveals whether there are older ones.
  const names = await jobs.listAll(list, jobsPerPage + 1, from);
  const shownNames = names.slice(0, jobsPerPage);
  const found = await Promise.all(shownNames.map((name) => jobs.read(name)));
  return {
    jobs: found.filter((job) => job !== undefined).filter((job) => belongsTo(list, job)),
    next: names.length > jobsPerPage ? shownNames.at(-1)?.jobId : undefined,
  };
};

/** The page of jobs of all accounts. */
export const jobsPages = (dependencies: JobsPageDependencies): BoundPage[] => [
  page(adminJobsPage, {
    show: async (visit) => {
      const found = await readList(visit.query.list, visit.query.from, dependencies);
      const names = await namesOf(
        found.jobs.map(({ user_id: id }) => id),
        dependencies,
      );
      return shown({ content: <JobsList {...visit} {...found} names={names} /> });
    },
    submit: async ({ form, account, request, texts }) => {
      const { user_id: userId, job_id: jobId, action } = form;
      const operator = { accountId: account.id, sourceAddress: request.sourceAddress };
      const act = action === "cancel" ? "cancel-job" : "retry-job";
      const record = dependencies.audit.recordOf(operator, { act, accountId: userId, detail: jobId });
      const name = { userId, jobId };
      if (action === "cancel") {
        const isCancelled = await cancelJob(name, record, dependencies);
        return redirect(`${adminJobsPage.path}?done=${isCancelled ? "cancelled" : "not-cancelled"}`);
      }
      const outcome = await retryJob(name, record, dependencies);
      if (outcome === "retried") return redirect(`${adminJobsPage.path}?done=retried`);
      const { notFailed, recordingGone } = texts.admin.jobsPage;
      throw new AppError("bad_request", { message: outcome === "not-failed" ? notFailed : recordingGone });
    },
  }),
];
