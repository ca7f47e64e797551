import { daySeconds } from "../platform/durations.ts";
import type { ItemKind } from "../platform/storage/stored-kinds.ts";
import { senderKeyPrefix } from "./keys.ts";

const rememberedSeconds = 90 * daySeconds;

/** People who write to the assistant have no account. */
const ofPerson = {
  about: "person",
  erased: {
    by: "none",
    why: "A phone number is no account: `npm run account -- --forget-sender` deletes it.",
  },
  exported: { never: "A phone number is no account." },
} as const;

/** M1 to M4 of this folder's README. */
export const messagingKinds: readonly ItemKind[] = [
  {
    id: "M1",
    what: "A conversation with the WhatsApp assistant: settings, the last exchanges, and a note about the person",
    ...ofPerson,
    keys: [senderKeyPrefix, "CONVERSATION"],
    lasts: { seconds: rememberedSeconds },
  },
  {
    id: "M2",
    what: "The progress of the work on a message to the assistant, with the reply until it is sent",
    ...ofPerson,
    keys: [senderKeyPrefix, "MESSAGE#"],
    lasts: { seconds: 8 * daySeconds },
  },
  {
    id: "M3",
    what: "A rating of a reply of the assistant, or a reaction to it",
    ...ofPerson,
    keys: [senderKeyPrefix, "FEEDBACK#"],
    lasts: { seconds: rememberedSeconds },
  },
  {
    id: "M4",
    what: "Which user of WhatsApp a phone number belongs to",
    ...ofPerson,
    keys: [senderKeyPrefix, "ALIAS"],
    lasts: { seconds: rememberedSeconds },
  },
];
