import { unknownOperation } from "../aws-protocol/aws-json.ts";
import { type DynaliteOperation, dynaliteOperations, runDynalite } from "./run-dynalite.ts";
import { type ItemWrite, writeBatch, writeItem } from "./staged-writes.ts";
import type { JsonObject, Store } from "./store.ts";
import { describeTimeToLive, updateTimeToLive } from "./table-settings.ts";
import { transactGetItems, transactWriteItems } from "./transactions.ts";

type Access = "shared" | "exclusive";

interface Waiting {
  readonly access: Access;
  readonly enter: () => void;
}

/**
 * Lets any number of shared visitors in at once, or one exclusive visitor alone, in the order of their arrival: a
 * stream of shared visitors cannot keep an exclusive one waiting for ever.
 */
class AccessGate {
  #inside = 0;
  #exclusive = false;
  readonly #queue: Waiting[] = [];

  /** Runs `work` once the gate admits it and returns its result. */
  async run<Result>(access: Access, work: () => Promise<Result>): Promise<Result> {
    if (this.#queue.length > 0 || !this.#admits(access)) {
      await new Promise<void>((enter) => this.#queue.push({ access, enter }));
    } else {
      this.#admit(access);
    }
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #admits(access: Access): boolean {
    return access === "shared" ? !this.#exclusive : this.#inside === 0;
  }

  #admit(access: Access): void {
    this.#inside += 1;
    this.#exclusive = access === "exclusive";
  }

  #leave(): void {
    this.#inside -= 1;
    this.#exclusive = false;
    for (let next = this.#queue[0]; next && this.#admits(next.access); next = this.#queue[0]) {
      this.#queue.shift();
      this.#admit(next.access);
      next.enter();
    }
  }
}

/**
 * Runs one operation of the DynamoDB API, named as in `X-Amz-Target` after the dot.
 *
 * @throws {DynamoDbError} DynamoDB's own error; any other error is a failure of the storage.
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
]);

/**
 * All operations on one store. Transactions wait until they are alone, as does the recovery from a write that failed; the
 * others run side by side.
 */
export const operationsOn = (store: Store): Execute => {
  const gate = new AccessGate();
  return async (name, input) => {
    const operation = operations.get(name);
    if (!operation) throw unknownOperation(name);
    if (store.failedWrites.hasFailed) await gate.run("exclusive", () => store.failedWrites.reopen());
    return gate.run(operation.access, () => operation.run(store, input));
  };
};
