import { erasureList } from "../../shared/platform/storage/erasures.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";
import type { FolderAccess } from "../constructs/bindings.ts";

const accessOf = { folder: "clear", record: "delete" } as const;

const [first, ...others] = storedKinds.objects.flatMap(({ folder, erased }): FolderAccess[] =>
  erased.by === "folder" || erased.by === "record" ? [{ folder, access: accessOf[erased.by] }] : [],
);
if (!first) throw new Error("Accounts have no files.");

/** The list of what was erased. */
export const notedErasures: FolderAccess = { folder: erasureList.folder, access: "add" };

/** Everything that is deleted with an account, and the list that it is put on. */
export const erasedFolders: readonly [FolderAccess, ...FolderAccess[]] = [first, ...others, notedErasures];

/** Everything that the export of an account contains. */
export const exportedFolders: readonly FolderAccess[] = storedKinds.objects.flatMap(
  ({ folder, exported }): FolderAccess[] => ("folder" in exported ? [{ folder, access: "read" }] : []),
);
