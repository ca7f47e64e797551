import type * as z from "zod";
import { dayOfDate } from "../../../shared/accounts/limits/windows.ts";
import { listKeys } from "../../../shared/accounts/profile/manage-keys.ts";
import type { ApiKeysRepository } from "../../../shared/accounts/repositories/api-keys-repository.ts";
import type { RequestLog } from "../../../shared/accounts/requests/request-log.ts";
import { findUsage, type UsageDependencies, usageTable } from "../../../shared/accounts/usage/find-usage.ts";
import { maxUsageDays } from "../../../shared/accounts/usage/usage.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { sentFile, shown } from "../../../shared/pages/server/responses.ts";
import { dayMilliseconds } from "../../../shared/platform/durations.ts";
import { usagePage } from "./pages.ts";
import { listedRequests } from "./requests.tsx";
import { UsageOfDays, type UsageRange } from "./usage.tsx";

/** What this page uses. */
export interface UsagePageDependencies extends UsageDependencies {
  readonly apiKeys: ApiKeysRepository;
  readonly requestLog: Pick<RequestLog, "find" | "list">;
}

/** The days of the address, and what is wrong with them. */
const rangeIn = ({ from, to, range }: z.output<NonNullable<typeof usagePage.query>>): UsageRange => {
  if (range !== undefined && from === undefined && to === undefined) {
    const first = Date.now() - (Number.parseInt(range, 10) - 1) * dayMilliseconds;
    return { from: new Date(first).toISOString().slice(0, 10), range };
  }
  const last = to === undefined ? Math.floor(Date.now() / dayMilliseconds) : dayOfDate(to);
  const days = from === undefined ? 1 : last - dayOfDate(from) + 1;
  if (days < 1) return { from, to, problem: "order" };
  return days > maxUsageDays ? { from, to, problem: "tooManyDays" } : { from, to };
};

/** The page of usage, with the account's requests. */
export const usageOfAccount = ({ apiKeys, requestLog, ...dependencies }: UsagePageDependencies): BoundPage =>
  page(usagePage, {
    show: async (visit) => {
      const { account, query } = visit;
      const requested = rangeIn(query);
      const range = requested.problem ? {} : { from: requested.from, to: requested.to };
      const found = await findUsage(account.id, range, dependencies);
      if (query.format === "csv") {
        const { name, csv } = usageTable(found);
        return sentFile({
          contentType: "text/csv; charset=utf-8",
          body: csv,
          headers: { "Content-Disposition": `attachment; filename="${name}"` },
        });
      }
      const [{ keys }, requests] = await Promise.all([
        listKeys(account.id, { apiKeys }),
        query.request === undefined
          ? requestLog.list(account.id, listedRequests, query.before)
          : requestLog.find(account.id, query.request, listedRequests),
      ]);
      const lists = { requests, keyNames: new Map(keys.map(({ id, name }) => [id, name])) };
      const { taskPaths } = dependencies;
      return shown({
        content: (
          <UsageOfDays {...visit} {...lists} usage={found} requested={requested} taskPaths={taskPaths} />
        ),
      });
    },
  });
