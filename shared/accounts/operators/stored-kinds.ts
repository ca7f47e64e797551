import { daySeconds } from "../../platform/durations.ts";
import type { ItemKind } from "../../platform/storage/stored-kinds.ts";
import { auditKeyPrefix } from "../access/keys.ts";
import { auditDays } from "./audit-log.ts";

/** A13 of the README in `shared/accounts`. */
export const operatorKinds: readonly ItemKind[] = [
  {
    id: "A13",
    what: "What operators did: who, what, to which account, when, and from which shortened internet address",
    about: "account",
    keys: [auditKeyPrefix, ""],
    lasts: { seconds: auditDays * daySeconds },
    erased: { by: "none", why: "It shows what operators have done, the deletion of accounts too." },
    exported: { never: "It is the record of the operators' work." },
  },
];
