import * as z from "zod";
import { validationError } from "./dynamodb-error.ts";
import { runStaged } from "./item-writes.ts";
import { checkInput, runChecked } from "./run-dynalite.ts";
import { type StagedWrites, stageWrites } from "./staged-writes.ts";
import type { JsonObject, Store } from "./store.ts";
import { resultsOrCancellation } from "./transaction-cancellation.ts";
import { parseTransactGet, parseTransactWrite } from "./transaction-input.ts";
import { rememberToken, transactionToken, wasMade } from "./transaction-tokens.ts";

/** A condition check is a deletion of which only the condition matters: what it would write is dropped. */
const operations = {
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "DeleteItem",
} as const;

/**
 * TransactWriteItems. dynalite evaluates every action against the database as it is, then one LevelDB batch writes all
 * of them: LevelDB logs a batch as one record before it applies it, so a process killed at any moment leaves the whole
 * transaction or nothing of it. The caller must keep every other operation out meanwhile.
 *
 * @throws {DynamoDbError} `TransactionCanceledException` with one reason for each action, in order.
 */
export const transactWriteItems = async (store: Store, input: JsonObject): Promise<JsonObject> => {
  const { actions, clientToken } = parseTransactWrite(input);
  // Taken before dynalite sees the actions, because its type check removes members from them.
  const token = clientToken === undefined ? undefined : transactionToken(clientToken, actions);
  if (token && (await wasMade(store, token))) return {};

  const checked = actions.map(({ kind, input: members }) => ({
    kind,
    input: checkInput(operations[kind], store, members),
  }));
  const staged = checked.map(({ kind, input: members }) => {
    const writes = stageWrites(store, async () => {});
    return { kind, writes, result: runStaged(writes, members) };
  });
  const results = await settle(staged);
  await store.db.batch([
    ...staged.flatMap(({ kind, writes }) => (kind === "ConditionCheck" ? [] : writes.operations)),
    ...(token ? [rememberToken(token)] : []),
  ]);
  return consumedCapacity(results);
};

/**
 * TransactGetItems. The caller must keep writes out meanwhile.
 *
 * @throws {DynamoDbError} `TransactionCanceledException` with one reason for each action, in order.
 */
export const transactGetItems = async (store: Store, input: JsonObject): Promise<JsonObject> => {
  const checked = parseTransactGet(input).map((members) => checkInput("GetItem", store, members));
  const staged = checked.map((members) => {
    const writes = stageWrites(store, async () => {});
    return { writes, result: runChecked(writes.store, members) };
  });
  const results = await settle(staged);
  return { ...consumedCapacity(results), Responses: results.map(({ Item }) => (Item ? { Item } : {})) };
};

interface StagedAction {
  readonly writes: StagedWrites;
  readonly result: Promise<JsonObject>;
}

const settle = async (staged: readonly StagedAction[]): Promise<JsonObject[]> => {
  const results = staged.map(({ result }) => result);
  await Promise.allSettled(results);
  const keys = staged.flatMap(({ writes }) => writes.lastRead?.key ?? []);
  if (new Set(keys).size < keys.length) {
    throw validationError("Transaction request cannot include multiple operations on one item");
  }
  return resultsOrCancellation(results);
};

const consumption = z.object({
  ConsumedCapacity: z.object({ TableName: z.string(), CapacityUnits: z.number() }),
});

/** The sum for each table. An action in a transaction costs twice what it costs alone. */
const consumedCapacity = (results: readonly JsonObject[]): JsonObject => {
  const units = new Map<string, number>();
  for (const result of results) {
    const parsed = consumption.safeParse(result);
    if (!parsed.success) return {};
    const { TableName, CapacityUnits } = parsed.data.ConsumedCapacity;
    units.set(TableName, (units.get(TableName) ?? 0) + 2 * CapacityUnits);
  }
  return { ConsumedCapacity: [...units].map(([TableName, CapacityUnits]) => ({ TableName, CapacityUnits })) };
};
