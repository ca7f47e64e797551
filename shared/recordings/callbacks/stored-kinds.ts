import { untilDeleted } from "../../accounts/access/stored-kinds.ts";
import { minuteSeconds } from "../../platform/durations.ts";
import { type DataOwner, type ItemKind, onlyAttributes } from "../../platform/storage/stored-kinds.ts";
import { deliveryRetentionSeconds } from "./deliveries.ts";
import { callbackKeyPrefix, callbackKeys } from "./keys.ts";

const erased = { by: "partition", of: ({ id }: DataOwner) => [callbackKeys.ofAccount(id)] } as const;

/** K1 to K4 of this folder's README. */
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
    erased: {
      ...erased,
      leadsTo: ({ SK }) => [callbackKeys.failed(SK.slice(callbackKeys.deliveriesPrefix.length))],
    },
    exported: {
      file: "callbacks.json",
      row: (item) => ({ job: String(item["SK"]).slice(4), ...onlyAttributes("status", "deliveries")(item) }),
    },
  },
  {
    id: "K4",
    what: "That a callback could not be delivered, so that operators see it",
    about: "account",
    keys: [`${callbackKeyPrefix}FAILED`, "JOB#"],
    lasts: { seconds: deliveryRetentionSeconds },
    erased: { by: "leader", leader: "K2" },
    exported: { never: "It repeats what callbacks.json contains." },
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
