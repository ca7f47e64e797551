import type { Item, ItemKey } from "./table.ts";

/** The account that something is stored about. */
export interface DataOwner {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  /** ISO 8601. */
  readonly created_at: string;
}

/** How long something is stored. */
export type Lifetime =
  /** At most this long after it was last written, by a time to live or a lifecycle rule. */
  | { readonly seconds: number }
  /** As many days as this setting of the stage says; 0 for as long as the account exists. */
  | { readonly setting: "SPEECH_LIFETIME_DAYS" | "LOG_RETENTION_DAYS" }
  /** Until this happens, as the end of the sentence "until …". */
  | { readonly until: string };

/** How the deletion of an account finds something. */
export type Erasure =
  /** In a partition of the account. */
  | {
      readonly by: "partition";
      readonly of: (owner: DataOwner) => readonly string[];
      /** Before the objects, because requests check these items after they stored one. */
      readonly first?: true;
      /** The items elsewhere that can only be found through one of these. */
      readonly leadsTo?: (key: ItemKey) => readonly ItemKey[];
    }
  /** By its key, which names the account. */
  | { readonly by: "key"; readonly of: (owner: DataOwner) => ItemKey }
  /** Through another item in a partition of the account: `leadsTo` of the kind with this id. */
  | { readonly by: "leader"; readonly leader: string }
  /** In a folder of the account. */
  | { readonly by: "folder"; readonly of: (owner: DataOwner) => readonly string[] }
  /** By the record of what the account owns (O1 of `shared/accounts`). */
  | { readonly by: "record" }
  /** By another item that is named here, in a step of its own in `shared/wiring/erase-account.ts`. */
  | { readonly by: "step"; readonly step: string; readonly key?: (owner: DataOwner) => ItemKey }
  /** It is not deleted with the account, for this reason. */
  | { readonly by: "none"; readonly why: string };

/** What the export of an account contains of something. */
export type Exported =
  /** A file of the archive. `row` is what an item contributes; without it, the export has a step of its own for that file. */
  | { readonly file: string; readonly row?: (item: Item) => unknown }
  /** A folder of the archive, with the objects that `includes` accepts. */
  | { readonly folder: string; readonly includes?: (name: string) => boolean }
  /** Nothing, for this reason. */
  | { readonly never: string };

interface Kind {
  /** Identifies the kind in lists, such as `A1`. */
  readonly id: string;
  /** What it is, for people: one sentence without a full stop. */
  readonly what: string;
  /** Whom it is about. `service`: no one. */
  readonly about: "account" | "address" | "person" | "service";
  readonly lasts: Lifetime;
  readonly erased: Erasure;
  readonly exported: Exported;
}

/** A kind of item in the table. Of two kinds that match an item, the one with the longer beginnings is its kind, the partition key first. */
export interface ItemKind extends Kind {
  /** How the partition key and the sort key begin. */
  readonly keys: readonly [partition: string, sort: string];
}

/** A kind of object in the bucket. */
export interface ObjectKind extends Kind {
  /** The folder, which lifecycle rules and permissions use. */
  readonly folder: string;
}

/** What is neither in the table nor in the bucket: messages in queues, logs, backups. */
export interface OtherKind extends Kind {
  readonly elsewhere: "queue" | "logs" | "backups";
}

/** Everything that is stored, as one list per place. */
export interface StoredKinds {
  readonly items: readonly ItemKind[];
  readonly objects: readonly ObjectKind[];
  readonly others: readonly OtherKind[];
}

/** A row of an export that has these attributes of an item and no others: what is added later is not exported by accident. */
export const onlyAttributes =
  (...names: readonly string[]) =>
  (item: Item): Item =>
    Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));

/** The kind of an item; `undefined` when no kind describes it. */
export const kindOfItem = (
  { PK, SK }: { readonly PK: string; readonly SK: string },
  kinds: readonly ItemKind[],
): ItemKind | undefined =>
  kinds
    .filter(({ keys: [partition, sort] }) => PK.startsWith(partition) && SK.startsWith(sort))
    .toSorted(
      ({ keys: [partition, sort] }, { keys: [otherPartition, otherSort] }) =>
        otherPartition.length - partition.length || otherSort.length - sort.length,
    )[0];

/** The kind of an object; `undefined` when no kind describes it. */
export const kindOfObject = (name: string, kinds: readonly ObjectKind[]): ObjectKind | undefined =>
  kinds.find(({ folder }) => name.startsWith(folder));
