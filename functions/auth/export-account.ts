import {
  type AccountExport,
  type ExportDependencies,
  findExport,
  requestExport,
} from "../../shared/accounts/export/request-export.ts";
import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { LinkedObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { DataOwner } from "../../shared/platform/storage/stored-kinds.ts";
import { exportFileOperation, exportOperation, requestExportOperation } from "./export-contract.ts";

/** What the operations for exports need. */
export interface ExportOperationDependencies extends ExportDependencies {
  readonly accounts: AccountsRepository;
  readonly store: Pick<LinkedObjectStore, "describe" | "signDownload">;
  /** Whether a stored file belongs to an account and to its export. */
  readonly isExportedFile: (owner: DataOwner, name: string) => Promise<boolean>;
}

const getExport = async (
  userId: number,
  dependencies: ExportOperationDependencies,
): Promise<AccountExport> => {
  const found = await findExport(userId, dependencies);
  if (found) return found;
  throw new AppError("not_found", {
    message: "There is no export of this account. Request one with POST /auth/me/export.",
  });
};

/** @throws AppError `not_found`, in the same words for a file that is gone, another account's, or never existed. */
const getExportFile = async (
  userId: number,
  name: string,
  { accounts, store, isExportedFile }: ExportOperationDependencies,
) => {
  const owner = await accounts.find({ id: userId });
  const found = owner && (await isExportedFile(owner, name)) ? await store.describe(name) : undefined;
  if (!found) throw new AppError("not_found", { message: "The account has no such file.", param: "name" });
  const { url, expiresAt } = await store.signDownload(name, {
    contentType: found.contentType ?? "application/octet-stream",
    fileName: (name.split("/").at(-1) ?? "file").replaceAll(/[^\w.-]/g, "_"),
  });
  return { url, url_expires_at: expiresAt.toISOString() };
};

/** The operations for exports of an account. */
export const exportEndpoints = (dependencies: ExportOperationDependencies): Endpoint[] => [
  endpoint(requestExportOperation, ({ body, caller }) => requestExport(caller.userId, body, dependencies)),
  endpoint(exportOperation, ({ caller }) => getExport(caller.userId, dependencies)),
  endpoint(exportFileOperation, ({ query, caller }) =>
    getExportFile(caller.userId, query.name, dependencies),
  ),
];
