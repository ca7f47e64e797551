import { dateOfDay, monthOf } from "../../shared/accounts/limits/windows.ts";
import type { AuditLog } from "../../shared/accounts/operators/audit-log.ts";
import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import type { ConfirmDependencies } from "../../shared/accounts/sign-in/confirm-act.ts";
import { toUsedOperation, type UsageDependencies, usageCsv } from "../../shared/accounts/usage/find-usage.ts";
import { readStageUsage } from "../../shared/accounts/usage/stage-usage.ts";
import { confirmVisit } from "../../shared/pages/proof/confirm.ts";
import { type BoundPage, page } from "../../shared/pages/server/page.ts";
import { sentFile, shown } from "../../shared/pages/server/responses.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { namesOf } from "./account-names.ts";
import { adminUsagePage } from "./pages.ts";
import { accountsPerPart, busiestAccounts, UsageOfStage } from "./stage-usage.tsx";

/** What the page of usage needs. */
export interface StageUsageDependencies extends ConfirmDependencies, Pick<UsageDependencies, "taskPaths"> {
  readonly accounts: Pick<AccountsRepository, "find" | "findWithPassword">;
  readonly table: Table;
  readonly audit: AuditLog;
}

/** The page of the stage's usage. */
export const stageUsagePages = (dependencies: StageUsageDependencies): BoundPage[] => {
  const { table, taskPaths, audit } = dependencies;
  return [
    page(adminUsagePage, {
      show: async (visit) => {
        // A form that is shown again says which part it was.
        const { month = visit.values["month"] ?? monthOf(Date.now()), from } = visit.query;
        const usage = await readStageUsage(table, month, from, accountsPerPart);
        const names = await namesOf(busiestAccounts(usage), dependencies);
        return shown({ content: <UsageOfStage {...visit} {...{ month, usage, taskPaths, names }} /> });
      },
      submit: async (visit) => {
        const { form, account, request } = visit;
        await confirmVisit(visit, form, dependencies);
        const { month, from } = form;
        const operator = { accountId: account.id, sourceAddress: request.sourceAddress };
        // Nothing is written with a download, so the act is recorded before it.
        await audit.record(operator, { act: "export-usage", detail: month });
        const { accounts } = await readStageUsage(table, month, from, accountsPerPart);
        const rows = accounts.flatMap(({ account: id, rows: each }) =>
          each.map((row) => ({ before: [dateOfDay(row.day), id], used: toUsedOperation(row, taskPaths) })),
        );
        const name = `usage-${month}${from === undefined ? "" : `-after-${from}`}.csv`;
        return sentFile({
          contentType: "text/csv; charset=utf-8",
          body: usageCsv(["date", "account"], rows),
          headers: { "Content-Disposition": `attachment; filename="${name}"` },
        });
      },
    }),
  ];
};
