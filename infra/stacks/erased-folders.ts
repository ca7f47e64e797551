import {
  jobsFolder,
  responsesFolder,
  speechFolder,
  transcriptionsFolder,
  uploadsFolder,
} from "../../shared/platform/storage/object-store.ts";
import type { FolderAccess } from "../constructs/bindings.ts";

/** Everything that is deleted with an account. */
export const erasedFolders: readonly [FolderAccess, ...FolderAccess[]] = [
  { folder: speechFolder, access: "clear" },
  { folder: responsesFolder, access: "clear" },
  { folder: jobsFolder, access: "clear" },
  { folder: uploadsFolder, access: "delete" },
  { folder: transcriptionsFolder, access: "delete" },
];
