import { type DynamoDbError, isDynamoDbError, validationError } from "./dynamodb-error.ts";
import type { BatchOperation, Callback } from "./level.ts";
import { type CheckedInput, checkInput, runChecked, runDynalite } from "./run-dynalite.ts";
import {
  type Item,
  indexKeyPrefix,
  itemKeyPrefix,
  type JsonObject,
  type RecordSpace,
  type Store,
  type TableRecord,
  traverseIndexes,
} from "./store.ts";

export type ItemWrite = "PutItem" | "UpdateItem" | "DeleteItem";

/**
 * PutItem, UpdateItem or DeleteItem: the item and its index entries change together or not at all.
 *
 *
 * @throws {DynamoDbError} with the stored item when the condition failed and the caller requested it.
 */
export const writeItem = async (
  store: Store,
  operation: ItemWrite,
  input: JsonObject,
): Promise<JsonObject> => {
  const staged = stageWrites(store, (operations) => store.db.batch(operations));
  return withoutEmptyAttributes(await runStaged(staged, checkInput(operation, store, input)));
};

/**
 * BatchWriteItem. The writes share one database batch, so the caller must block other writes meanwhile: dynalite
 * releases the lock of each item before the batch is written.
 */
export const writeBatch = async (store: Store, input: JsonObject): Promise<JsonObject> => {
  const staged = stageWrites(store, async () => {});
  const result = await runDynalite("BatchWriteItem", staged.store, input);
  await store.db.batch(staged.operations);
  return result;
};

/**
 * Runs one write against staged writes.
 *
 * @throws {DynamoDbError} a failed condition carries `Item` when `ReturnValuesOnConditionCheckFailure` is `ALL_OLD`
 *   and there is one.
 */
export const runStaged = async (staged: StagedWrites, input: CheckedInput): Promise<JsonObject> => {
  try {
    return await runChecked(staged.store, input);
  } catch (error) {
    const item = staged.lastRead?.item;
    const isWanted = input.members["ReturnValuesOnConditionCheckFailure"] === "ALL_OLD";
    if (item && isWanted && isDynamoDbError(error, "ConditionalCheckFailedException")) {
      throw error.with({ Item: item });
    }
    throw error;
  }
};

/** DynamoDB leaves `Attributes` out where dynalite sends an empty object, as for UPDATED_OLD of new attributes. */
const withoutEmptyAttributes = (result: JsonObject): JsonObject => {
  const { Attributes, ...rest } = result;
  const isEmpty =
    typeof Attributes === "object" && Attributes !== null && Object.keys(Attributes).length === 0;
  return isEmpty ? rest : result;
};

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
 * Passes dynalite a store that collects its writes instead of executing them one by one. dynalite changes the indexes
 * first and the item last, each separately, and a process killed in between would leave index entries without their
 * item; collected, they go to LevelDB as one batch, which is written as a whole or not at all.
 *
 *
 * @param onItemWritten - Called with all operations so far whenever an item is complete. The item stays locked until
 * the promise is settled.
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
