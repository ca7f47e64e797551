import type { AuditLog } from "../../shared/accounts/operators/audit-log.ts";
import { type BoundPage, page } from "../../shared/pages/server/page.ts";
import { shown } from "../../shared/pages/server/responses.ts";
import { namesOf } from "./account-names.ts";
import { type AccountsDependencies, accountsPages } from "./accounts-pages.tsx";
import { AuditList } from "./audit-list.tsx";
import { type DeliveriesDependencies, deliveriesPages } from "./deliveries-pages.tsx";
import { type JobsPageDependencies, jobsPages } from "./jobs-pages.tsx";
import { type ModelsDependencies, modelsPages } from "./models-pages.tsx";
import { adminRequestsPage, auditPage } from "./pages.ts";
import { RequestsList } from "./requests-list.tsx";
import { type StageUsageDependencies, stageUsagePages } from "./usage-pages.tsx";

/** What the operators' pages use. */
export type AdminDependencies = AccountsDependencies &
  JobsPageDependencies &
  DeliveriesDependencies &
  StageUsageDependencies &
  ModelsDependencies & {
    readonly audit: AuditLog;
  };

const actsPerPage = 50;

const audit = (dependencies: AdminDependencies): BoundPage =>
  page(auditPage, {
    show: async (visit) => {
      // One more than is shown reveals whether there are older ones.
      const found = await dependencies.audit.list(actsPerPage + 1, visit.query.from);
      const acts = found.slice(0, actsPerPage);
      const ids = acts.flatMap(({ by, accountId }) => [
        "accountId" in by ? by.accountId : undefined,
        accountId,
      ]);
      const next = found.length > actsPerPage ? acts.at(-1)?.id : undefined;
      const names = await namesOf(ids, dependencies);
      return shown({ content: <AuditList {...visit} acts={acts} next={next} names={names} /> });
    },
  });

const requests = ({ tierRequests }: Pick<AdminDependencies, "tierRequests">): BoundPage =>
  page(adminRequestsPage, {
    show: async (visit) =>
      shown({ content: <RequestsList {...visit} requests={await tierRequests.list()} /> }),
  });

/** The pages of operators, for accounts of the type Admin. */
export const adminPages = (dependencies: AdminDependencies): BoundPage[] => [
  ...accountsPages(dependencies),
  requests(dependencies),
  ...stageUsagePages(dependencies),
  ...jobsPages(dependencies),
  ...deliveriesPages(dependencies),
  ...modelsPages(dependencies),
  audit(dependencies),
];
