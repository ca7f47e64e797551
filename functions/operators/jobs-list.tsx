import type * as z from "zod";
import type { Visit } from "../../shared/pages/server/visit.ts";
import { fill } from "../../shared/pages/texts/languages.ts";
import { Badge, DataTable, EmptyState, Notice, Segments } from "../../shared/pages/view/components.tsx";
import { momentOf, numbersIn } from "../../shared/pages/view/dates.ts";
import { isOver, type StoredJob } from "../../shared/recordings/jobs/job.ts";
import { workOf } from "../../shared/recordings/jobs/job-work.ts";
import { AccountLink, AdminPage, EntryAct, More, RefusedAct } from "./admin-view.tsx";
import { type adminJobsPage, jobLists } from "./pages.ts";

const to = "/console/admin/jobs";

type Shown = Visit<z.output<NonNullable<typeof adminJobsPage.query>>, "operators"> & {
  readonly jobs: readonly StoredJob[];
  /** Where the next page starts, if there is one. */
  readonly next: string | undefined;
  readonly names: ReadonlyMap<number, string>;
};

/** The end of an id, which differs most between jobs of one time. */
const shortId = (id: string): string => `…${id.slice(-8)}`;

const JobAct = ({ job, visit }: { readonly job: StoredJob; readonly visit: Shown }) => {
  const { jobsPage: words } = visit.texts.admin;
  const id = shortId(job.id);
  const act = isOver(job)
    ? { action: "retry", label: words.retry, named: fill(words.retryNamed, { id }), text: words.retryText }
    : {
        ...{ action: "cancel", label: words.cancel, text: words.cancelText, isDangerous: true },
        named: fill(words.cancelNamed, { id }),
      };
  return (
    <EntryAct act={{ to, ...act, entry: ["job_id", job.id] }} sent={visit}>
      <input type="hidden" name="user_id" value={job.user_id} />
    </EntryAct>
  );
};

/** The state of a job, how much of it is done, and why it waits or has failed. */
const State = ({ job, visit: { texts, language } }: { readonly job: StoredJob; readonly visit: Shown }) => {
  const { total, done } = workOf(job);
  const percent = numbersIn(language).format(total === 0 ? 0 : (100 * done) / total);
  const reason = isOver(job) ? job.error?.message : job.waiting;
  return (
    <div>
      <Badge {...(job.status === "failed" ? { kind: "bad" } : {})}>
        {texts.admin.jobsPage.states[job.status]}
      </Badge>
      {` ${percent}%`}
      {reason !== undefined && <p class="soft small">{reason}</p>}
    </div>
  );
};

const Jobs = (visit: Shown) => {
  const { texts, language, query, jobs, names } = visit;
  const { admin: words } = texts;
  const { jobsPage: own } = words;
  const isFailed = query.list === "failed";
  return (
    <DataTable
      caption={isFailed ? own.failed : own.waiting}
      isCaptionShown={false}
      isStacked
      columns={[
        ...[own.job, words.whom, words.status, own.created].map((label) => ({ label })),
        { label: words.what, isAction: true },
      ]}
      rows={jobs.map((job) => [
        <>
          {own.kinds[job.type]}
          <br />
          <code class="small breaks">{job.id}</code>
        </>,
        <AccountLink key={job.id} id={job.user_id} names={names} />,
        <State key={job.id} job={job} visit={visit} />,
        momentOf(job.created_at, language),
        <JobAct key={job.id} job={job} visit={visit} />,
      ])}
    />
  );
};

/** Jobs of all accounts: those that wait or run, and those that failed. */
export const JobsList = (visit: Shown) => {
  const { texts, query, url, jobs, next } = visit;
  const { admin: words } = texts;
  const { jobsPage: own } = words;
  const labels = { open: own.waiting, failed: own.failed };
  return (
    <AdminPage tab="jobs">
      <RefusedAct {...visit} />
      {query.done && <Notice title={words.done[query.done]} />}
      <Segments
        label={own.list}
        choices={jobLists.map((list) => ({
          href: `${url(to)}?list=${list}`,
          label: labels[list],
          isCurrent: list === query.list,
        }))}
      />
      {jobs.length > 0 && <Jobs {...visit} />}
      {jobs.length === 0 && (
        <EmptyState title={query.list === "failed" ? own.noneFailed : own.noneActive}>
          <p>{query.list === "failed" ? own.noneFailedText : own.noneActiveText}</p>
        </EmptyState>
      )}
      {next !== undefined && <More path={to} query={{ list: query.list, from: next }} />}
    </AdminPage>
  );
};
