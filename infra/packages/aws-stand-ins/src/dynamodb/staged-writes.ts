import { type DynamoDbError, validationError } from "./dynamodb-error.ts";
import {
  type BatchOperation,
  type Callback,
  type Item,
  indexKeyPrefix,
  itemKeyPrefix,
  type RecordSpace,
  type Store,
  type TableRecord,
  traverseIndexes,
} from "./store.ts";

/** What one or more writes of dynalite would change, held back from the database. */
export interface StagedWrites {
  /** Goes to the action in place of the real store. */
  readonly store: Store;
  /** Index entries and items, in the order in which dynalite wrote them. */
  readonly operations: readonly BatchOperation[];
  /** The item that the action read: its LevelDB key, and its content unless there was none. */
  readonly lastRead: { readonly key: string; readonly item: Item | undefined } | undefined;
}

/**
 * Gives dynalite a store that collects its writes instead of making them one by one. dynalite changes the indexes
 * first and the item last, each on its own, and a process killed in between would leave index entries without their
 * item; collected, they go to LevelDB as one batch, of which a killed process leaves all or nothing.
 *
 * @param onItemWritten - Called with all operations so far whenever an item is complete. The item stays locked
 *   until the promise settles.
 */
export const stageWrites = (
  store: Store,
  onItemWritten: (operations: readonly BatchOperation[]) => Promise<void>,
): StagedWrites => {
  const operations: BatchOperation[] = [];
  const tables = new Map<string, TableRecord>();
  let lastRead: StagedWrites["lastRead"];

  const collect = (prefix: string, space: RecordSpace, collected: (done: Callback<void>) => void) => ({
    ...space,
    put: (key: string, value: Item, done: Callback<void>) => {
      operations.push({ type: "put", key: prefix + key, value });
      collected(done);
    },
    del: (key: string, done: Callback<void>) => {
      operations.push({ type: "del", key: prefix + key });
      collected(done);
    },
  });

  const getItemDb = (tableName: string): RecordSpace => {
    const prefix = itemKeyPrefix(tableName);
    const items = store.getItemDb(tableName);
    const staged = collect(prefix, items, (done) => {
      onItemWritten(operations).then(() => done(), done);
    });
    return {
      ...staged,
      get: (key, callback) =>
        items.get(key, (error, item) => {
          lastRead = { key: prefix + key, item };
          callback(error, item);
        }),
      put: (key, item, done) => {
        const refusal = refuseEmptyIndexKey(item, tables.get(tableName));
        if (refusal) done(refusal);
        else staged.put(key, item, done);
      },
    };
  };

  const getIndexDb = (indexType: string, tableName: string, indexName: string): RecordSpace =>
    collect(
      `${indexKeyPrefix(indexType, tableName)}${indexName}~`,
      store.getIndexDb(indexType, tableName, indexName),
      (done) => done(),
    );

  const getTable: Store["getTable"] = (tableName, callback) =>
    store.getTable(tableName, (error, table) => {
      if (table) tables.set(tableName, table);
      callback(error, table);
    });

  return {
    store: { ...store, getItemDb, getIndexDb, getTable },
    operations,
    get lastRead() {
      return lastRead;
    },
  };
};

/** DynamoDB refuses an empty string or binary as the key of an index; dynalite takes it. */
const refuseEmptyIndexKey = (item: Item, table: TableRecord | undefined): DynamoDbError | undefined =>
  table &&
  traverseIndexes(table, (attributeName, type, index) => {
    if (item[attributeName]?.[type] !== "") return undefined;
    return validationError(
      "One or more parameter values are not valid. A value specified for a secondary index key is not supported. " +
        `The AttributeValue for a key attribute cannot contain an empty ${type === "S" ? "string" : "binary"} ` +
        `value. IndexName: ${index.IndexName}, IndexKey: ${attributeName}`,
    );
  });
