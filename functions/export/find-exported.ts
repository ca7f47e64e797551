import type { ListedObject, ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { queryInPages } from "../../shared/platform/storage/query-in-pages.ts";
import type { ItemKind, ObjectKind, StoredKinds } from "../../shared/platform/storage/stored-kinds.ts";
import { type DataOwner, kindOfItem, kindOfObject } from "../../shared/platform/storage/stored-kinds.ts";
import type { Item, ItemKey, Table } from "../../shared/platform/storage/table.ts";
import { ownedBy } from "../../shared/wiring/find-stored.ts";

/** Where the data of an account is. */
export interface ExportSources {
  readonly table: Pick<Table, "query" | "read">;
  readonly store: Pick<ObjectStore, "describe" | "list" | "stream">;
  readonly kinds: StoredKinds;
}

/** A stored file. Only lists contain sizes: to describe each file would need another request. */
export type FoundObject = Pick<ListedObject, "name"> & Partial<ListedObject>;

const isOf = (kind: ItemKind, { items }: StoredKinds, key: ItemKey): boolean =>
  kindOfItem(key, items)?.id === kind.id;

const keyOf = ({ PK, SK }: Item): ItemKey => ({ PK: String(PK), SK: String(SK) });

type TableSources = Omit<ExportSources, "store">;

/** The keys of items of a kind that are not found by their partition. */
async function* keysOf(
  kind: ItemKind,
  owner: DataOwner,
  { table, kinds }: TableSources,
): AsyncIterable<ItemKey> {
  const { erased } = kind;
  if (erased.by === "key") yield erased.of(owner);
  if (erased.by === "step" && erased.key) yield erased.key(owner);
  if (erased.by !== "record") return;
  for await (const { items } of ownedBy(owner, table)) yield* items.filter((key) => isOf(kind, kinds, key));
}

/** The items of a kind that belong to an account, found as its deletion finds them. */
export async function* itemsOf(kind: ItemKind, owner: DataOwner, sources: TableSources): AsyncIterable<Item> {
  const { table, kinds } = sources;
  const { erased, keys } = kind;
  for (const partition of erased.by === "partition" ? erased.of(owner) : []) {
    for await (const item of queryInPages(table, { partition, beginsWith: keys[1] })) {
      if (isOf(kind, kinds, keyOf(item))) yield item;
    }
  }
  for await (const Key of keysOf(kind, owner, sources)) {
    const item = await table.read({ Key });
    if (item) yield item;
  }
}

/** The objects of a kind that belong to an account and to its export. */
export async function* objectsOf(
  kind: ObjectKind,
  owner: DataOwner,
  { table, store, kinds }: ExportSources,
): AsyncIterable<FoundObject> {
  const { erased, exported } = kind;
  if (!("folder" in exported)) return;
  const isWanted = (name: string): boolean =>
    (exported.includes?.(name) ?? true) && kindOfObject(name, kinds.objects) === kind;
  for (const folder of erased.by === "folder" ? erased.of(owner) : []) {
    for await (const object of store.list(folder)) if (isWanted(object.name)) yield object;
  }
  if (erased.by !== "record") return;
  const names = new Set<string>();
  for await (const { objects } of ownedBy(owner, table)) {
    for (const name of objects.filter(isWanted)) names.add(name);
  }
  for (const name of names) yield { name };
}
