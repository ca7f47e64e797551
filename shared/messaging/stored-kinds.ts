import { daySeconds } from "../platform/durations.ts";
import type { ItemKind } from "../platform/storage/stored-kinds.ts";
import { senderKeyPrefix, translationFeedbackKeyPrefix } from "./keys.ts";

const rememberedSeconds = 90 * daySeconds;

/** People who write to the assistant have no account. */
const ofPerson = {
  about: "person",
  erased: {
    by: "none",
    why: 'A phone number is no account. The message "forget me" deletes it, and so does an operator on request.',
  },
  exported: { never: 'A phone number is no account. The message "my data" shows it.' },
} as const;

/** M1 to M8 of this folder's README. */
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
  {
    id: "M5",
    what: "That a person does not want messages of the assistant",
    ...ofPerson,
    keys: [senderKeyPrefix, "CONVERSATION#STOPPED"],
    lasts: { until: "the person writes START" },
  },
  {
    id: "M6",
    what: "Which translation a person let us store",
    ...ofPerson,
    keys: [senderKeyPrefix, "TRANSLATION#"],
    lasts: { seconds: 365 * daySeconds },
  },
  {
    id: "M7",
    what: "A translation that a person called wrong and let us store, with the correction; it does not name the person",
    ...ofPerson,
    keys: [translationFeedbackKeyPrefix, ""],
    lasts: { seconds: 365 * daySeconds },
  },
  {
    id: "M8",
    what: "That the message which asked to be forgotten is done, by a digest",
    about: "service",
    erased: { by: "none", why: "It names no one, and expires within eight days." },
    exported: { never: "It names no one." },
    keys: [`${senderKeyPrefix}FORGOTTEN#`, "FORGOTTEN"],
    lasts: { seconds: 8 * daySeconds },
  },
];
