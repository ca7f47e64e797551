import { untilDeleted } from "../../accounts/access/stored-kinds.ts";
import { minuteSeconds } from "../../platform/durations.ts";
import { type DataOwner, type ItemKind, onlyAttributes } from "../../platform/storage/stored-kinds.ts";
import { deliveryRetentionSeconds } from "./deliveries.ts";
import { callbackKeyPrefix, callbackKeys } from "./keys.ts";

const erased = { by: "partition", of: ({ id }: DataOwner) => [callbackKeys.ofAccount(id)] } as const;

/** K1 to K3 of this folder's README. */
export const callbackKinds: readonly ItemKind[] = [
  {
    id: "K1",
    what: "The secret that signs an account's callbacks",
    about: "account",
    keys: [callbackKeyPrefix, "SECRET"],
    lasts: untilDeleted,
    erased,
    exported: { never: "It is a secret." },
  },
  {
    id: "K2",
    what: "The attempts to deliver a job's callback: when, and what the receiver responded",
    about: "account",
    keys: [callbackKeyPrefix, "JOB#"],
    lasts: { seconds: deliveryRetentionSeconds },
    erased,
    exported: {
      file: "callbacks.json",
      row: (item) => ({ job: String(item["SK"]).slice(4), ...onlyAttributes("status", "deliveries")(item) }),
    },
  },
  {
    id: "K3",
    what: "How many callbacks of an account are being sent",
    about: "account",
    keys: [callbackKeyPrefix, "SLOTS"],
    lasts: { seconds: 2 * minuteSeconds },
    erased,
    exported: { never: "It is a count that expires within a minute." },
  },
];
