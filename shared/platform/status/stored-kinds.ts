import { daySeconds } from "../durations.ts";
import type { ItemKind } from "../storage/stored-kinds.ts";
import { statusKeyPrefix } from "./keys.ts";
import { retainedDays } from "./status-log.ts";

/** W1: what the page of the status shows. */
export const statusKinds: readonly ItemKind[] = [
  {
    id: "W1",
    what: "How often each task worked on a day, as the canary saw it",
    about: "service",
    keys: [statusKeyPrefix, ""],
    lasts: { seconds: retainedDays * daySeconds },
    erased: { by: "none", why: "It is about no one." },
    exported: { never: "It is about no one." },
  },
];
