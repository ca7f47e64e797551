import { createRequire } from "node:module";
import { FailedWrites } from "./failed-writes.ts";
import type { Callback, KeyRange, Level, LevelIterator } from "./level.ts";

/** Any JSON object of the DynamoDB wire format. */
export type JsonObject = Record<string, unknown>;

/** A stored item: attribute names to `{ S: "…" }`, `{ N: "…" }` and so on. */
export type Item = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** One of dynalite's key spaces (the items of a table, the entries of an index), as far as its writes use it. */
export interface RecordSpace {
  get(key: string, callback: Callback<Item>): void;
  put(key: string, value: Item, callback: Callback<void>): void;
  del(key: string, callback: Callback<void>): void;
}

export type TableRecord = Readonly<JsonObject>;

/** What dynalite's actions work on. */
export interface Store {
  readonly db: Level;
  readonly failedWrites: FailedWrites;
  getItemDb(tableName: string): RecordSpace;
  getIndexDb(indexType: string, tableName: string, indexName: string): RecordSpace;
  getTable(tableName: string, callback: Callback<TableRecord>): void;
}

interface DynaliteDatabase {
  create(options: {
    path: string;
    createTableMs: number;
    deleteTableMs: number;
    updateTableMs: number;
  }): Omit<Store, "failedWrites">;
  traverseIndexes<Found>(
    table: TableRecord,
    visit: (attributeName: string, type: string, index: { readonly IndexName: string }) => Found | undefined,
  ): Found | undefined;
}

const database: DynaliteDatabase = createRequire(import.meta.url)("dynalite/db/index.js");

/** Calls `visit` for every key attribute of every secondary index until it returns something. */
export const traverseIndexes = database.traverseIndexes;

/** Where dynalite 4 keeps the items of a table in LevelDB. */
export const itemKeyPrefix = (tableName: string): string => `item-${tableName}~`;

/** Where dynalite 4 keeps the entries of a table's indexes; the name of the index and `~` follow. */
export const indexKeyPrefix = (indexType: string, tableName: string): string =>
  `index-${indexType.toLowerCase()}~${tableName}~`;

/** Where dynalite 4 keeps the tags of a table. */
export const tagKeyPrefix = (tableName: string): string => `tag-${tableName}~`;

/** Where dynalite 4 keeps the descriptions of all tables. */
export const tableKeyPrefix = "table~";

/** All keys that begin with `prefix`. */
export const keysBelow = (prefix: string): KeyRange => ({ gte: prefix, lt: `${prefix}\u{10ffff}` });

/**
 * Opens the database in `path`, which is created when missing.
 *
 * @throws what LevelDB reports, with its code (such as `LEVEL_LOCKED`) in `cause`.
 */
export const openStore = async (path: string): Promise<Store> => {
  const store = database.create({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  closeIteratorsAfterUse(store.db);
  const failedWrites = new FailedWrites(store.db, path);
  await store.db.open();
  return { ...store, failedWrites };
};

/**
 * dynalite ends a read with `iterator.return()`, which the iterators of today's LevelDB do not have. Without it
 * every Query and Scan would keep its iterator, and the snapshot that belongs to it, until the database closes.
 */
const closeIteratorsAfterUse = (level: Level): void => {
  const closing = (create: (options: unknown) => LevelIterator) => (options: unknown) => {
    const iterator = create(options);
    iterator.return = () => iterator.close();
    return iterator;
  };
  level.keys = closing(level.keys.bind(level));
  level.values = closing(level.values.bind(level));
};
