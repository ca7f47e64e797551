import { daySeconds } from "../../platform/durations.ts";
import { responsesFolder, responsesFolderOf } from "../../platform/storage/object-store.ts";
import type { ItemKind, ObjectKind } from "../../platform/storage/stored-kinds.ts";
import { retentionSeconds } from "./idempotency-store.ts";
import { idempotencyKeyPrefix, idempotencyKeys } from "./keys.ts";

const exported = {
  never: "It repeats what the response contained, encrypted with a key that only the caller has.",
} as const;

/** I1 of this folder's README. */
export const idempotencyKinds: readonly ItemKind[] = [
  {
    id: "I1",
    what: "The response to a request with an `Idempotency-Key`, encrypted with that key",
    about: "account",
    keys: [idempotencyKeyPrefix, ""],
    lasts: { seconds: retentionSeconds },
    erased: { by: "partition", of: ({ id }) => [idempotencyKeys.ofAccount(id)], first: true },
    exported,
  },
];

/** Responses that are too large for the table. */
export const responseObjects: ObjectKind = {
  id: "answers",
  what: "Large responses to requests with an `Idempotency-Key`, encrypted with that key",
  about: "account",
  folder: responsesFolder,
  lasts: { seconds: daySeconds },
  erased: { by: "folder", of: ({ id }) => [responsesFolderOf(id)] },
  exported,
};
