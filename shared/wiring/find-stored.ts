import * as z from "zod";
import { accountKeys } from "../accounts/access/keys.ts";
import { queryInPages } from "../platform/storage/query-in-pages.ts";
import {
  type DataOwner,
  kindOfItem,
  kindOfObject,
  type StoredKinds,
} from "../platform/storage/stored-kinds.ts";
import type { ItemKey, Table } from "../platform/storage/table.ts";

/** The partitions of an account. @param when those that the deletion empties before the objects, or after them. */
export const partitionsOf = (
  owner: DataOwner,
  { items }: StoredKinds,
  when: "first" | "later",
): readonly string[] => [
  ...new Set(
    items.flatMap(({ erased }) =>
      erased.by === "partition" && (erased.first === true) === (when === "first") ? erased.of(owner) : [],
    ),
  ),
];

/** The items to which an item in a partition of an account leads. */
export const ledBy = (key: ItemKey, { items }: StoredKinds): readonly ItemKey[] => {
  const erased = kindOfItem(key, items)?.erased;
  return (erased?.by === "partition" && erased.leadsTo?.(key)) || [];
};

/** The keys of items that name the account. */
export const keysOfOwner = (owner: DataOwner, { items }: StoredKinds): readonly ItemKey[] =>
  items.flatMap(({ erased }) => (erased.by === "key" ? [erased.of(owner)] : []));

/** The folders of an account in the bucket. */
export const foldersOf = (owner: DataOwner, { objects }: StoredKinds): readonly string[] =>
  objects.flatMap(({ erased }) => (erased.by === "folder" ? erased.of(owner) : []));

/** Whether a stored file belongs to an account and to its export. */
export const isExportedFile = async (
  owner: DataOwner,
  name: string,
  table: Pick<Table, "query">,
  kinds: StoredKinds,
): Promise<boolean> => {
  const kind = kindOfObject(name, kinds.objects);
  if (!kind || !("folder" in kind.exported) || kind.exported.includes?.(name) === false) return false;
  if (kind.erased.by === "folder") return kind.erased.of(owner).some((folder) => name.startsWith(folder));
  for await (const { objects } of ownedBy(owner, table)) if (objects.includes(name)) return true;
  return false;
};

/** What an account created, with the record that leads there. */
export interface Owned {
  readonly items: readonly ItemKey[];
  readonly objects: readonly string[];
  readonly record: ItemKey;
}

const itemKey = z.object({ PK: z.string(), SK: z.string() });
const ownedItem = itemKey.extend({ items: z.array(itemKey), objects: z.array(z.string()) });

/** What the account created and is stored by keys that do not name the account, page by page. */
export async function* ownedBy({ id }: DataOwner, table: Pick<Table, "query">): AsyncIterable<Owned> {
  const { PK: partition } = accountKeys.owned(id, "");
  const attributes = ["PK", "SK", "items", "objects"];
  for await (const item of queryInPages(table, { partition, attributes })) {
    const { items, objects, ...record } = ownedItem.parse(item);
    yield { items, objects, record };
  }
}
