import type { ExportRequest } from "../../shared/accounts/export/export-queue.ts";
import { type ExportsRepository, exportObject } from "../../shared/accounts/export/exports-repository.ts";
import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { type ArchiveSources, archiveEntries } from "./archive-entries.ts";
import { writeArchive } from "./write-archive.ts";

/** What preparing an export needs. */
export interface PreparationDependencies extends Omit<ArchiveSources, "store"> {
  readonly store: ArchiveSources["store"] & Pick<ObjectStore, "delete" | "write">;
  readonly accounts: Pick<AccountsRepository, "find">;
  readonly exports: Pick<ExportsRepository, "complete" | "find">;
}

/**
 * Writes the archive of an account, and notes that it is ready. Does nothing for an export that is no longer the account's last
 * one, and leaves nothing of an account that was deleted meanwhile.
 *
 * @throws what the table and the store throw.
 */
export const prepareExport = async (
  { userId, exportId }: ExportRequest,
  { accounts, exports, ...sources }: PreparationDependencies,
): Promise<void> => {
  const isWanted = async () => {
    const account = await accounts.find({ id: userId });
    return account?.deletion_began === undefined ? account : undefined;
  };
  const [account, last] = [await isWanted(), await exports.find(userId)];
  if (!account || last?.export_id !== exportId || last.status === "ready") return;
  const object = exportObject(userId, exportId);
  const writer = sources.store.write(object, { contentType: "application/zip" });
  const size = await writeArchive(archiveEntries(account, sources), writer);
  // A deletion first marks the account, and then lists its files, so at least one of the two sees the other.
  if ((await isWanted()) && (await exports.complete(userId, exportId, size))) return;
  await sources.store.delete(object);
};
