import { createHash } from "node:crypto";
import { daySeconds } from "../durations.ts";
import type { ObjectStore } from "./object-store.ts";
import type { ObjectKind } from "./stored-kinds.ts";

const folder = "erased/";

/** A day longer than the backups of the table, which is why the list is not in the table. */
const lifetimeDays = 36;

/** The names of objects without content: what was erased, and must be erased again after a restore. */
export const erasures = {
  accounts: `${folder}accounts/`,
  senders: `${folder}senders/`,
  account: (id: number): string => `${folder}accounts/${id}`,
  /** @param name by which the messaging platform knows a person: a user id or phone number. */
  sender: (name: string): string => `${folder}senders/${createHash("sha256").update(name).digest("hex")}`,
} as const;

/** Notes what is about to be erased. */
export const noteErasure = (store: Pick<ObjectStore, "put">, name: string): Promise<void> =>
  store.put(name, new Uint8Array(), { contentType: "text/plain" });

export const erasureList: ObjectKind = {
  id: "erasures",
  what: "That an account was deleted, by its number, and that the assistant forgot a person, by a digest of the phone number",
  about: "account",
  folder,
  lasts: { seconds: lifetimeDays * daySeconds },
  erased: {
    by: "none",
    why: "It keeps what was deleted from coming back with a backup, and expires after the last one.",
  },
  exported: { never: "It is about accounts that no longer exist." },
};
