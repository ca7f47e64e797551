import * as z from "zod";
import type { Item, ItemKey, Table } from "../platform/storage/table.ts";
import { messagingKeys, readTranslationKey } from "./keys.ts";

/** An item about a person. */
export type SenderItem = Item & ItemKey;

/** What leads from one item about a person to others. */
const leading = z.looseObject({
  PK: z.string(),
  SK: z.string(),
  alias_of: z.string().optional(),
  phones: z.array(z.string()).optional(),
  long_recording: z.object({ job_id: z.string() }).optional(),
  waiting_result: z.object({ job_id: z.string() }).optional(),
});
type LeadingItem = z.infer<typeof leading>;

/** Everything that is stored about a person. */
export interface FoundSenderData {
  /** Without the conversation, which leads to the others. */
  readonly items: readonly SenderItem[];
  readonly conversations: readonly SenderItem[];
  /** The jobs of the person's long recordings. */
  readonly jobIds: readonly string[];
}

const isConversation = ({ SK }: ItemKey): boolean => SK === messagingKeys.conversation("").SK;

/** Returns the items of a person under all names that they are known by: the platform's user id and the phone number. */
const findPartitions = async (
  names: readonly (string | undefined)[],
  table: Table,
): Promise<LeadingItem[]> => {
  const found: LeadingItem[] = [];
  const waiting = new Set(names.flatMap((name) => name ?? []));
  // A set also visits what is added to it meanwhile.
  for (const name of waiting) {
    const items = await table.query({ partition: messagingKeys.sender(name) });
    for (const item of items.map((each) => leading.parse(each))) {
      found.push(item);
      for (const other of [item.alias_of ?? [], item.phones ?? []].flat()) waiting.add(other);
    }
  }
  return found;
};

/** Returns the translations that the person let us store. */
const findTranslations = async (items: readonly ItemKey[], table: Table): Promise<SenderItem[]> => {
  const names = items.flatMap(({ SK }) => readTranslationKey(SK) ?? []);
  const found = await Promise.all(
    names.map(async (name) => {
      const Key = messagingKeys.translationFeedback(name);
      const item = await table.read({ Key });
      return item ? [{ ...item, ...Key }] : [];
    }),
  );
  return found.flat();
};

/**
 * Finds everything that is stored about a person. What is deleted and what a person gets to see are both what this returns.
 *
 * @param names the person's id on the platform, and their phone number if it is known.
 */
export const findSenderData = async (
  names: readonly (string | undefined)[],
  table: Table,
): Promise<FoundSenderData> => {
  const found = await findPartitions(names, table);
  return {
    items: [...(await findTranslations(found, table)), ...found.filter((item) => !isConversation(item))],
    conversations: found.filter(isConversation),
    jobIds: found.flatMap(({ long_recording, waiting_result }) =>
      [long_recording, waiting_result].flatMap((recording) => recording?.job_id ?? []),
    ),
  };
};

const kindOf = (item: SenderItem): "aliases" | "translations" | "others" => {
  if ("alias_of" in item) return "aliases";
  return readTranslationKey(item.SK) ? "translations" : "others";
};

export interface ForgettingDependencies {
  readonly table: Table;
  /** Deletes the job of a long recording and its files. Safe to repeat. */
  readonly forgetRecording: (jobId: string) => Promise<void>;
}

/**
 * Deletes everything that is stored about a person: settings, memory, ratings, translations, records of messages, and long
 * recordings. When a step fails, call it again: it continues.
 *
 * @param names as of {@link findSenderData}.
 * @param except an item that stays.
 * @returns how many items were deleted; 0 when there were none.
 */
export const forgetSenderData = async (
  names: readonly (string | undefined)[],
  { table, forgetRecording }: ForgettingDependencies,
  except?: ItemKey,
): Promise<number> => {
  const { items, conversations, jobIds } = await findSenderData(names, table);
  for (const jobId of jobIds) await forgetRecording(jobId);
  const deleted = items.filter(({ PK, SK }) => PK !== except?.PK || SK !== except.SK);
  // What leads to other items goes after them: the names of translations, and at the end, together, what connects the names.
  const { others = [], translations = [], aliases = [] } = Object.groupBy(deleted, kindOf);
  await table.deleteAll(others);
  await table.deleteAll(translations);
  const last = [...aliases, ...conversations];
  if (last.length > 0) await table.transact(last.map(({ PK, SK }) => ({ delete: { PK, SK } })));
  return deleted.length + conversations.length;
};
