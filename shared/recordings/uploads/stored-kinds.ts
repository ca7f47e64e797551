import { daySeconds } from "../../platform/durations.ts";
import { uploadsFolder } from "../../platform/storage/object-store.ts";
import { type ItemKind, type ObjectKind, onlyAttributes } from "../../platform/storage/stored-kinds.ts";
import { uploadKeyPrefix } from "./keys.ts";
import { uploadLifetimeSeconds } from "./uploads-repository.ts";

/** U1 of this folder's README. */
export const uploadKinds: readonly ItemKind[] = [
  {
    id: "U1",
    what: "A link to upload a file: the name and type of the file",
    about: "account",
    keys: [uploadKeyPrefix, "UPLOAD"],
    lasts: { seconds: uploadLifetimeSeconds },
    erased: { by: "record" },
    exported: {
      file: "uploads.json",
      row: onlyAttributes("object_key", "content_type", "size", "expires_at"),
    },
  },
];

/** The files that callers upload. */
export const uploadFiles: ObjectKind = {
  id: "uploads",
  what: "Files that were uploaded",
  about: "account",
  folder: uploadsFolder,
  lasts: { seconds: daySeconds },
  erased: { by: "record" },
  exported: { folder: "uploads/" },
};
