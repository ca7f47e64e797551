import * as z from "zod";
import {
  type DynamoDbError,
  dynamoDbError,
  isDynamoDbError,
  parseInput,
  validationError,
} from "./dynamodb-error.ts";
import { checkInput, runChecked } from "./run-dynalite.ts";
import { runStaged, type StagedWrites, stageWrites } from "./staged-writes.ts";
import type { JsonObject, Store } from "./store.ts";
import { rememberToken, transactionToken, wasCreated } from "./transaction-tokens.ts";

const action = z.record(z.string(), z.unknown());
const present = z.string("Member must not be null");

const upTo100 = <Element extends z.ZodType>(element: Element) =>
  z
    .array(element, "Member must not be null")
    .min(1, "Member must have length greater than or equal to 1")
    .max(100, "Member must have length less than or equal to 100");

const writeInput = z.object({
  TransactItems: upTo100(
    z.object({
      Put: action.optional(),
      Update: z.looseObject({ UpdateExpression: present }).optional(),
      Delete: action.optional(),
      ConditionCheck: z.looseObject({ ConditionExpression: present }).optional(),
    }),
  ),
  ClientRequestToken: z
    .string()
    .min(1, "Member must have length greater than or equal to 1")
    .max(36, "Member must have length less than or equal to 36")
    .optional(),
  ReturnConsumedCapacity: z.unknown().optional(),
});

const getInput = z.object({
  TransactItems: upTo100(z.object({ Get: action })),
  ReturnConsumedCapacity: z.unknown().optional(),
});

const kinds = ["Put", "Update", "Delete", "ConditionCheck"] as const;

interface TransactionAction {
  readonly kind: (typeof kinds)[number];
  readonly input: JsonObject;
}

type TransactItem = z.output<typeof writeInput>["TransactItems"][number];

const soleAction = (item: TransactItem): TransactionAction => {
  const actions = kinds.flatMap((kind) => {
    const input = item[kind];
    return input ? [{ kind, input }] : [];
  });
  const [sole, ...others] = actions;
  if (sole && others.length === 0) return sole;
  throw validationError("TransactItems can only contain one of Check, Put, Update or Delete");
};

/** @throws {DynamoDbError} `ValidationException` when `input` is no TransactWriteItems request. */
const parseTransactWrite = (input: JsonObject) => {
  const { TransactItems, ClientRequestToken, ReturnConsumedCapacity } = parseInput(writeInput, input);
  return {
    actions: TransactItems.map((item) => {
      const { kind, input: members } = soleAction(item);
      return { kind, input: { ...members, ReturnConsumedCapacity } };
    }),
    clientToken: ClientRequestToken,
  };
};

/** @throws {DynamoDbError} `ValidationException` when `input` is no TransactGetItems request. */
const parseTransactGet = (input: JsonObject): JsonObject[] => {
  const { TransactItems, ReturnConsumedCapacity } = parseInput(getInput, input);
  return TransactItems.map(({ Get }) => ({ ...Get, ConsistentRead: true, ReturnConsumedCapacity }));
};

const conditionFailed = "ConditionalCheckFailedException";

/**
 * The reason for which an action cancels its transaction.
 *
 * What depends on stored data is a reason; an empty key value is refused before the transaction starts, and an
 * unknown table ends it as a whole (both observed on DynamoDB by the dynamodb-conformance suite).
 *
 *
 * @throws the error itself when it is not a reason.
 */
const asReason = (error: unknown): JsonObject => {
  if (isDynamoDbError(error, conditionFailed)) {
    return { Code: "ConditionalCheckFailed", Message: error.message, ...error.details };
  }
  if (isDynamoDbError(error, "ValidationException") && !error.message.includes("cannot contain an empty")) {
    return { Code: "ValidationError", Message: error.message };
  }
  throw error;
};

const cancelled = (reasons: readonly JsonObject[]): DynamoDbError =>
  dynamoDbError(
    "TransactionCanceledException",
    "Transaction cancelled, please refer cancellation reasons for specific reasons " +
      `[${reasons.map(({ Code }) => Code).join(", ")}]`,
    { CancellationReasons: reasons },
  );

/**
 * The results of all actions of a transaction, in their order.
 *
 * @throws {DynamoDbError} `TransactionCanceledException` with one reason for every action, `None` for those that
 *   would have succeeded, when at least one of them failed.
 */
const resultsOrCancellation = async <Result>(actions: readonly Promise<Result>[]): Promise<Result[]> => {
  const outcomes = await Promise.allSettled(actions);
  const results = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  if (results.length === outcomes.length) return results;
  throw cancelled(
    outcomes.map((outcome) => (outcome.status === "fulfilled" ? { Code: "None" } : asReason(outcome.reason))),
  );
};

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
  if (token && (await wasCreated(store, token))) return {};

  const checked = actions.map(({ kind, input: members }) => ({
    kind,
    input: checkInput(operations[kind], store, members),
  }));
  const staged = checked.map(({ kind, input: members }) => {
    const writes = stageWrites(store, async () => {});
    return { kind, writes, result: runStaged(writes, members) };
  });
  const results = await finish(staged);
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
  const results = await finish(staged);
  return { ...consumedCapacity(results), Responses: results.map(({ Item }) => (Item ? { Item } : {})) };
};

interface StagedAction {
  readonly writes: StagedWrites;
  readonly result: Promise<JsonObject>;
}

const finish = async (staged: readonly StagedAction[]): Promise<JsonObject[]> => {
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
