import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { messagingKeys, senderKeyPrefix } from "../../shared/messaging/keys.ts";
import {
  type FoundSenderData,
  findSenderData,
  forgetSenderData,
  type SenderItem,
} from "../../shared/messaging/sender-data.ts";
import { erasures, noteErasure } from "../../shared/platform/storage/erasures.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { type Conversation, languageOf } from "./conversation.ts";
import type { LongRecordings } from "./long-recordings.ts";
import type { NewMedia } from "./messaging-platform.ts";
import type { StoredAboutPerson } from "./wording/english.ts";

/** What is stored about a person. */
export interface SenderData {
  find(sender: string, phone: string | undefined): Promise<FoundSenderData>;
  /** Deletes all of it, except for the record of this message. Safe to repeat. */
  forget(message: InboundMessage, conversation: Conversation): Promise<void>;
}

/** Opens the data of people in the table. */
export const createSenderData = (
  table: Table,
  { clear }: Pick<LongRecordings, "clear">,
  store: Pick<ObjectStore, "put">,
): SenderData => ({
  find: (sender, phone) => findSenderData([sender, phone], table),
  forget: async ({ id, sender, phone }, { phones = [] }) => {
    const names = [sender, phone, ...phones].filter((name) => name !== undefined);
    for (const name of names) await noteErasure(store, erasures.sender(name));
    await forgetSenderData(names, { table, forgetRecording: clear }, messagingKeys.message(sender, id));
  },
});

/** Attributes that say which worker has a message, and nothing about the person. */
const internal: readonly string[] = ["PK", "SK", "claimed_by", "receive_count", "lease_until", "settled"];

/** Returns an item as people get to see it, with the kind of data that its key names. */
const shown = (item: SenderItem) => ({
  kind: item.PK.startsWith(senderKeyPrefix) ? item.SK : "TRANSLATION",
  ...Object.fromEntries(Object.entries(item).filter(([name]) => !internal.includes(name))),
});

/**
 * Returns everything that is stored about a person as a JSON file. The platform knows no media type for JSON, and phones go by
 * the name.
 */
export const dataFile = ({ conversations, items }: FoundSenderData): NewMedia => ({
  bytes: Buffer.from(`${JSON.stringify([...conversations, ...items].map(shown), undefined, 2)}\n`),
  contentType: "text/plain",
  fileName: "my-data.json",
});

const countOf = (items: readonly SenderItem[], prefix: string): number =>
  items.filter(({ SK }) => SK.startsWith(prefix)).length;

/** Summarises what is stored about a person. */
export const summariseData = (
  { items, jobIds }: FoundSenderData,
  { settings, exchanges, note }: Conversation,
): StoredAboutPerson => ({
  mode: settings.mode,
  language: languageOf(settings).name,
  voice: settings.voice,
  stored: {
    exchanges: exchanges.length,
    note: note !== "",
    ratings: countOf(items, messagingKeys.feedback("", "").SK),
    translations: countOf(items, messagingKeys.translation("", { month: "", id: "" }).SK.slice(0, -1)),
    records: countOf(items, messagingKeys.message("", "").SK),
    recording: jobIds.length > 0,
  },
});

/** Whether there is more than the summary says. */
export const hasMoreThan = ({ stored }: StoredAboutPerson): boolean =>
  stored.exchanges + stored.ratings + stored.translations > 0 || stored.note;
