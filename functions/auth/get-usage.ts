import { findUsage, type UsageDependencies, usageTable } from "../../shared/accounts/usage/find-usage.ts";
import type { Usage, UsageQuery } from "../../shared/accounts/usage/usage.ts";
import { Reply } from "../../shared/http/response.ts";

/** Returns the caller's usage as JSON or CSV. @throws AppError as {@link findUsage}. */
export const getUsage = async (
  userId: number,
  { format, ...range }: UsageQuery,
  dependencies: UsageDependencies,
  now?: number,
): Promise<Usage | Reply> => {
  const found = await findUsage(userId, range, dependencies, now);
  if (format !== "csv") return found;
  const { name, csv } = usageTable(found);
  return new Reply({
    contentType: "text/csv; charset=utf-8",
    headers: { "Content-Disposition": `attachment; filename="${name}"` },
    body: csv,
  });
};
