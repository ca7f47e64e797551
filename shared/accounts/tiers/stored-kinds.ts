import { daySeconds } from "../../platform/durations.ts";
import { type ItemKind, onlyAttributes } from "../../platform/storage/stored-kinds.ts";
import { tierRequestKeyPrefix, tierRequestKeys } from "./keys.ts";
import { tierRequestDays } from "./tier-requests.ts";

/** T1 of the README in `shared/accounts`. */
export const tierKinds: readonly ItemKind[] = [
  {
    id: "T1",
    what: "The last request of an account for higher limits: what for, how much, and what an operator replied",
    about: "account",
    keys: [tierRequestKeyPrefix, ""],
    lasts: { seconds: tierRequestDays * daySeconds },
    erased: { by: "key", of: ({ id }) => tierRequestKeys.request(id) },
    exported: {
      file: "tier-requests.json",
      row: onlyAttributes("purpose", "amount", "status", "created_at", "decided_at", "note"),
    },
  },
];
