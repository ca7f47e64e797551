import { storedKinds } from "../../shared/wiring/stored-kinds.ts";
import type { FolderAccess } from "../constructs/bindings.ts";

const accessOf = { folder: "clear", record: "delete" } as const;

const [first, ...others] = storedKinds.objects.flatMap(({ folder, erased }): FolderAccess[] =>
  erased.by === "folder" || erased.by === "record" ? [{ folder, access: accessOf[erased.by] }] : [],
);
if (!first) throw new Error("Accounts have no files.");

/** Everything that is deleted with an account. */
export const erasedFolders: readonly [FolderAccess, ...FolderAccess[]] = [first, ...others];

/** Everything that the export of an account contains. */
export const exportedFolders: readonly FolderAccess[] = storedKinds.objects.flatMap(
  ({ folder, exported }): FolderAccess[] => ("folder" in exported ? [{ folder, access: "read" }] : []),
);
