import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { ItemKind, ObjectKind, StoredKinds } from "../../shared/platform/storage/stored-kinds.ts";
import { type DataOwner, kindOfItem, kindOfObject } from "../../shared/platform/storage/stored-kinds.ts";
import type { Item, ItemKey, Table } from "../../shared/platform/storage/table.ts";
import { ownedOf } from "../../shared/wiring/find-stored.ts";

/** Where the data of an account is. */
export interface ExportSources {
  readonly table: Pick<Table, "query" | "read">;
  readonly store: Pick<ObjectStore, "describe" | "list" | "stream">;
  readonly kinds: StoredKinds;
}

const isOf = (kind: ItemKind, { items }: StoredKinds, key: ItemKey): boolean =>
  kindOfItem(key, items)?.id === kind.id;

const keyOf = ({ PK, SK }: Item): ItemKey => ({ PK: String(PK), SK: String(SK) });

/** The items of a kind that belong to an account, found as its deletion finds them. */
export async function* itemsOf(
  kind: ItemKind,
  owner: DataOwner,
  { table, kinds }: Omit<ExportSources, "store">,
): AsyncIterable<Item> {
  const { erased } = kind;
  if (erased.by === "partition") {
    for (const partition of erased.of(owner)) {
      const items = await table.query({ partition, beginsWith: kind.keys[1] });
      yield* items.filter((item) => isOf(kind, kinds, keyOf(item)));
    }
  }
  const keys =
    erased.by === "record"
      ? (await ownedOf(owner, table)).flatMap(({ items }) => items.filter((key) => isOf(kind, kinds, key)))
      : [];
  if (erased.by === "key") keys.push(erased.of(owner));
  if (erased.by === "step" && erased.key) keys.push(erased.key(owner));
  for (const Key of keys) {
    const item = await table.read({ Key });
    if (item) yield item;
  }
}

/** The names of the objects of a kind that belong to an account and to its export. */
export async function* objectsOf(
  kind: ObjectKind,
  owner: DataOwner,
  { table, store, kinds }: ExportSources,
): AsyncIterable<string> {
  const { erased, exported } = kind;
  if (!("folder" in exported)) return;
  const isWanted = (name: string): boolean =>
    (exported.includes?.(name) ?? true) && kindOfObject(name, kinds.objects) === kind;
  if (erased.by === "folder") {
    for (const folder of erased.of(owner)) {
      for await (const name of store.list(folder)) if (isWanted(name)) yield name;
    }
  }
  if (erased.by !== "record") return;
  const owned = await ownedOf(owner, table);
  yield* new Set(owned.flatMap(({ objects }) => objects).filter(isWanted));
}
