import { exportsFolder, exportsFolderOf } from "../../platform/storage/object-store.ts";
import type { ItemKind, ObjectKind } from "../../platform/storage/stored-kinds.ts";
import { accountKeyPrefixes } from "../access/keys.ts";
import { inAccount } from "../access/stored-kinds.ts";
import { exportItem, exportLifetimeSeconds } from "./keys.ts";

const common = {
  about: "account",
  lasts: { seconds: exportLifetimeSeconds },
  exported: { never: "It is the export." },
} as const;

/** E1: the state of the last export. */
export const exportKinds: readonly ItemKind[] = [
  {
    ...common,
    id: "E1",
    what: "That the owner of an account has requested an export, when, and whether it is ready",
    keys: [accountKeyPrefixes.profile, exportItem],
    erased: inAccount,
  },
];

/** The archives themselves. */
export const exportFiles: ObjectKind = {
  ...common,
  id: "exports",
  what: "The export of an account: everything in this table that an export contains",
  folder: exportsFolder,
  erased: { by: "folder", of: ({ id }) => [exportsFolderOf(id)] },
};
