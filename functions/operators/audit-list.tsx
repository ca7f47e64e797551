import type * as z from "zod";
import type { RecordedAct } from "../../shared/accounts/operators/audit-log.ts";
import type { Visit } from "../../shared/pages/server/visit.ts";
import { fill } from "../../shared/pages/texts/languages.ts";
import { DataTable, EmptyState } from "../../shared/pages/view/components.tsx";
import { momentOf } from "../../shared/pages/view/dates.ts";
import { AccountLink, AdminPage, More } from "./admin-view.tsx";
import type { auditPage } from "./pages.ts";

type Shown = Visit<z.output<NonNullable<typeof auditPage.query>>, "operators"> & {
  readonly acts: readonly RecordedAct[];
  /** Where the next page starts, if there is one. */
  readonly next: string | undefined;
  readonly names: ReadonlyMap<number, string>;
};

const Acts = ({ texts, language, acts, names }: Shown) => {
  const { admin: words } = texts;
  const actNames: Readonly<Partial<Record<string, string>>> = words.actNames;
  return (
    <DataTable
      caption={words.audit}
      isCaptionShown={false}
      isStacked
      columns={[words.when, words.what, words.whom, words.who, words.from, words.detail].map((label) => ({
        label,
      }))}
      rows={acts.map(({ id, time, act, by, from, accountId, detail }) => [
        momentOf(time, language),
        actNames[act] ?? act,
        accountId === undefined ? "" : <AccountLink key={id} id={accountId} names={names} />,
        "command" in by ? (
          fill(words.command, { name: by.command })
        ) : (
          <AccountLink key={id} id={by.accountId} names={names} />
        ),
        from ?? "",
        detail === undefined ? (
          ""
        ) : (
          <span key={id} class="breaks">
            {detail}
          </span>
        ),
      ])}
    />
  );
};

/** What operators did, newest first. */
export const AuditList = (visit: Shown) => {
  const { texts, acts, next } = visit;
  const { admin: words } = texts;
  return (
    <AdminPage tab="audit" intro={words.auditIntro}>
      {acts.length === 0 ? (
        <EmptyState title={words.noActs}>
          <p>{words.noActsText}</p>
        </EmptyState>
      ) : (
        <Acts {...visit} />
      )}
      {next !== undefined && <More path="/console/admin/audit" query={{ from: next }} />}
    </AdminPage>
  );
};
