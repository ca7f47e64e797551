import type { DataOwner, ItemKind } from "../../platform/storage/stored-kinds.ts";
import { noticeKeyPrefix, noticeKeys } from "./keys.ts";

/** N1 of the README in `shared/accounts`. */
export const noticeKinds: readonly ItemKind[] = [
  {
    id: "N1",
    what: "That an account got a mail about the end of routes that it calls",
    about: "account",
    keys: [noticeKeyPrefix, ""],
    lasts: { until: "30 days after the routes end" },
    erased: { by: "partition", of: ({ id }: DataOwner) => [noticeKeys.ofAccount(id)] },
    exported: { never: "The mail itself says it." },
  },
];
