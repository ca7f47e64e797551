import { daySeconds, minuteSeconds } from "../../platform/durations.ts";
import type { DataOwner, ItemKind } from "../../platform/storage/stored-kinds.ts";
import { limitKeyPrefix, limitKeys, mailKeyPrefix, usageKeyPrefix } from "./keys.ts";
import { usageLifetimeDays } from "./usage-items.ts";

const ofNames = {
  by: "partition",
  of: ({ username, email }: DataOwner) => [limitKeys.ofName(username), limitKeys.ofName(email)],
} as const;

/** The last second of the window, and the longest wait after it. */
const attemptsSeconds = daySeconds + 16 * minuteSeconds;

/** C2 to C13 of the README in `shared/accounts/limits`. */
export const limitKinds: readonly ItemKind[] = [
  {
    id: "C2, C10",
    what: "How many requests without an account an internet address has sent in a minute or a day",
    about: "address",
    keys: [`${limitKeyPrefix}ADDRESS#`, ""],
    lasts: { seconds: daySeconds + minuteSeconds },
    erased: { by: "none", why: "It names no account, and expires within a day." },
    exported: { never: "It names no account." },
  },
  {
    id: "C3, C5",
    what: "How many wrong passwords were entered for a name, by digests of name and internet address",
    about: "account",
    keys: [`${limitKeyPrefix}PASSWORD#`, "ATTEMPTS"],
    lasts: { seconds: attemptsSeconds },
    erased: ofNames,
    exported: { never: "It is a count by digests." },
  },
  {
    id: "C6",
    what: "That someone has logged in with a name from an internet address, by digests of both",
    about: "account",
    keys: [`${limitKeyPrefix}PASSWORD#`, "SIGNED-IN#"],
    lasts: { seconds: 30 * daySeconds },
    erased: ofNames,
    exported: { never: "It consists of digests." },
  },
  {
    id: "C7, C11 to C13",
    what: "How many wrong passwords and codes were entered, to confirm a change of an account or to log in",
    about: "account",
    keys: [`${limitKeyPrefix}USER#`, ""],
    lasts: { seconds: attemptsSeconds },
    erased: { by: "partition", of: ({ id }) => [limitKeys.ofAccount(id)] },
    exported: { never: "It is a count that expires within a day." },
  },
  {
    id: "C4",
    what: "How many mails were sent to an address in a day, by a digest",
    about: "account",
    keys: [mailKeyPrefix, "SENT"],
    lasts: { seconds: daySeconds },
    erased: {
      by: "none",
      why: "Registering and deleting an address again and again could otherwise flood its owner with mails.",
    },
    exported: { never: "It is a count by a digest." },
  },
  {
    id: "C8",
    what: "That an address gets no mails, because they came back or its owner complained, by a digest",
    about: "account",
    keys: [mailKeyPrefix, "WITHHELD"],
    lasts: { until: "an operator lifts it" },
    erased: { by: "none", why: "A complaint covers the next mail to the address too." },
    exported: { never: "It is about the address, by a digest." },
  },
  {
    id: "C9",
    what: "How many requests, characters, tokens and seconds an account has used on a day, by operation and key",
    about: "account",
    keys: [usageKeyPrefix, ""],
    lasts: { seconds: usageLifetimeDays * daySeconds },
    erased: {
      by: "none",
      why: "It stays for bills, with the number of the account, and without names, texts or audio.",
    },
    exported: { file: "usage.csv" },
  },
];
