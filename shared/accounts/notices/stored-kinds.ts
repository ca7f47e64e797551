import { daySeconds } from "../../platform/durations.ts";
import type { DataOwner, ItemKind } from "../../platform/storage/stored-kinds.ts";
import { noticeKeyPrefix, noticeKeys } from "./keys.ts";

/** Longer than a month, so no clock can send a mail again. */
export const monthNoticeDays = 62;

/** N1 and N2 of the README in `shared/accounts`. */
export const noticeKinds: readonly ItemKind[] = [
  {
    id: "N1",
    what: "That an account got a mail about the end of routes that it calls",
    about: "account",
    keys: [noticeKeyPrefix, "ROUTES-END#"],
    lasts: { until: "30 days after the routes end" },
    erased: { by: "partition", of: ({ id }: DataOwner) => [noticeKeys.ofAccount(id)] },
    exported: { never: "The mail itself says it." },
  },
  {
    id: "N2",
    what: "That an account got a mail because it, or one of its keys, has used most of a month",
    about: "account",
    keys: [noticeKeyPrefix, "MONTH-USED#"],
    lasts: { seconds: monthNoticeDays * daySeconds },
    erased: { by: "partition", of: ({ id }: DataOwner) => [noticeKeys.ofAccount(id)] },
    exported: { never: "The mail itself says it." },
  },
];
