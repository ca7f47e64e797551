import { AccessGate } from "./access-gate.ts";
import { serviceError } from "./dynamodb-error.ts";
import { type ItemWrite, writeBatch, writeItem } from "./item-writes.ts";
import { type DynaliteOperation, dynaliteOperations, runDynalite } from "./run-dynalite.ts";
import type { JsonObject, Store } from "./store.ts";
import {
  describeContinuousBackups,
  describeTimeToLive,
  updateContinuousBackups,
  updateTimeToLive,
} from "./table-settings.ts";
import { transactGetItems, transactWriteItems } from "./transactions.ts";

/**
 * Carries out one operation of the DynamoDB API, named as in `X-Amz-Target` after the dot.
 *
 * @throws {DynamoDbError} what DynamoDB would answer; any other error is a failure of the storage.
 */
export type Execute = (operation: string, input: JsonObject) => Promise<JsonObject>;

interface Operation {
  readonly access: "shared" | "exclusive";
  readonly run: (store: Store, input: JsonObject) => Promise<JsonObject>;
}

const shared = (run: Operation["run"]): Operation => ({ access: "shared", run });
const exclusive = (run: Operation["run"]): Operation => ({ access: "exclusive", run });
const dynalite = (name: DynaliteOperation) => shared((store, input) => runDynalite(name, store, input));
const itemWrite = (name: ItemWrite) => shared((store, input) => writeItem(store, name, input));

const operations = new Map<string, Operation>([
  ...dynaliteOperations.map((name): [string, Operation] => [name, dynalite(name)]),
  ["PutItem", itemWrite("PutItem")],
  ["UpdateItem", itemWrite("UpdateItem")],
  ["DeleteItem", itemWrite("DeleteItem")],
  ["BatchWriteItem", exclusive(writeBatch)],
  ["TransactWriteItems", exclusive(transactWriteItems)],
  ["TransactGetItems", exclusive(transactGetItems)],
  ["UpdateTimeToLive", exclusive(updateTimeToLive)],
  ["DescribeTimeToLive", shared(describeTimeToLive)],
  ["UpdateContinuousBackups", exclusive(updateContinuousBackups)],
  ["DescribeContinuousBackups", shared(describeContinuousBackups)],
]);

/** All operations on one store. Transactions wait until they are alone; the others run side by side. */
export const operationsOn = (store: Store): Execute => {
  const gate = new AccessGate();
  return async (name, input) => {
    const operation = operations.get(name);
    if (!operation)
      throw serviceError("UnknownOperationException", `${name} is not available on this server.`);
    return gate.run(operation.access, () => operation.run(store, input));
  };
};
