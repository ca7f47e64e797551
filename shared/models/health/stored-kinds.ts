import { daySeconds } from "../../platform/durations.ts";
import type { ItemKind } from "../../platform/storage/stored-kinds.ts";
import { modelKeyPrefix } from "./keys.ts";

/** H1 of this folder's README. */
export const modelKinds: readonly ItemKind[] = [
  {
    id: "H1",
    what: "How many calls went to the server of a model in ten minutes, how many failed, and how long they took",
    about: "service",
    keys: [modelKeyPrefix, ""],
    lasts: { seconds: daySeconds },
    erased: { by: "none", why: "It is about no one." },
    exported: { never: "It is about no one." },
  },
];
