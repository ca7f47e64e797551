import * as z from "zod";
import {
  type BatchOperation,
  indexKeyPrefix,
  itemKeyPrefix,
  keysBelow,
  type Store,
  tableKeyPrefix,
  tagKeyPrefix,
} from "./store.ts";

const storedTable = z.looseObject({
  TableName: z.string(),
  TableStatus: z.string(),
  GlobalSecondaryIndexes: z.array(z.looseObject({ IndexStatus: z.string() })).optional(),
});

type StoredTable = z.output<typeof storedTable>;

/**
 * Brings tables to rest that a killed process left CREATING, UPDATING or DELETING: dynalite ends these states with a
 * timer, so nothing else ever would.
 */
export const finishTableChanges = async (store: Store): Promise<void> => {
  for await (const [key, value] of store.db.iterator(keysBelow(tableKeyPrefix))) {
    const table = storedTable.parse(value);
    if (table.TableStatus === "DELETING") await deleteTable(store, key, table.TableName);
    else if (table.TableStatus !== "ACTIVE") await store.db.batch([activate(key, table)]);
  }
};

const activate = (key: string, table: StoredTable): BatchOperation => ({
  type: "put",
  key,
  value: {
    ...table,
    TableStatus: "ACTIVE",
    GlobalSecondaryIndexes: table.GlobalSecondaryIndexes?.map((index) => ({
      ...index,
      IndexStatus: "ACTIVE",
    })),
  },
});

const deleteTable = async (store: Store, key: string, tableName: string): Promise<void> => {
  const prefixes = [
    itemKeyPrefix(tableName),
    tagKeyPrefix(tableName),
    indexKeyPrefix("global", tableName),
    indexKeyPrefix("local", tableName),
  ];
  for (const prefix of prefixes) await store.db.clear(keysBelow(prefix));
  await store.db.batch([{ type: "del", key }]);
};
