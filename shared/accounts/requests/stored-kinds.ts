import { daySeconds } from "../../platform/durations.ts";
import type { DataOwner, ItemKind } from "../../platform/storage/stored-kinds.ts";
import { requestKeyPrefix, requestKeys } from "./keys.ts";
import { requestLogDays } from "./request-log.ts";

/** R1 and R2 of this folder's README. */
export const requestKinds: readonly ItemKind[] = [
  {
    id: "R1, R2",
    what: "A request of an account: its time, operation, status, error code, duration, units, key and ID; never a body",
    about: "account",
    keys: [requestKeyPrefix, ""],
    lasts: { seconds: requestLogDays * daySeconds },
    erased: { by: "partition", of: ({ id }: DataOwner) => [requestKeys.ofAccount(id)] },
    exported: { never: "The file usage.csv counts the same requests, and the page Usage lists them." },
  },
];
