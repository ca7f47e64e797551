import type {
  BatchWriteCommandInput,
  DeleteCommandInput,
  GetCommandInput,
  PutCommandInput,
  QueryCommandInput,
  TransactWriteCommandInput,
  UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { AwsCallError } from "../outbound/aws-json.ts";
import { retry } from "../outbound/retry.ts";
import { wireItem } from "./attribute-values.ts";
import type {
  Item,
  ItemKey,
  ItemUpdate,
  Table,
  TableQuery,
  TableWrite,
  TransactionResult,
  WriteFailure,
  WriteResult,
} from "./table.ts";

/** The calls to DynamoDB, with items in JavaScript's types. Adapters implement them. */
export interface TableCalls {
  GetItem(input: GetCommandInput, signal?: AbortSignal): Promise<{ readonly Item?: Item | undefined }>;
  UpdateItem(
    input: UpdateCommandInput,
    signal?: AbortSignal,
  ): Promise<{ readonly Attributes?: Item | undefined }>;
  PutItem(input: PutCommandInput): Promise<object>;
  DeleteItem(input: DeleteCommandInput): Promise<object>;
  TransactWriteItems(input: TransactWriteCommandInput, signal?: AbortSignal): Promise<unknown>;
  Query(input: QueryCommandInput): Promise<{
    readonly Items?: readonly Item[] | undefined;
    readonly LastEvaluatedKey?: Record<string, unknown> | undefined;
  }>;
  BatchWriteItem(input: BatchWriteCommandInput): Promise<{
    readonly UnprocessedItems?:
      | Readonly<
          Record<
            string,
            readonly {
              readonly DeleteRequest?: { readonly Key: unknown } | undefined;
              readonly PutRequest?: { readonly Item: unknown } | undefined;
            }[]
          >
        >
      | undefined;
  }>;
}

const failureReasons: Readonly<Record<string, WriteFailure["reason"]>> = {
  ConditionalCheckFailed: "condition",
  TransactionConflict: "conflict",
};

const refusal = z.object({
  Item: wireItem.optional(),
  CancellationReasons: z
    .array(z.object({ Code: z.string().default(""), Item: wireItem.optional() }))
    .default([]),
});

/** The failures that an error of DynamoDB reports, by write; none for any other error. */
const failuresOf = (error: unknown): (WriteFailure | undefined)[] => {
  const name = error instanceof Error ? error.name : "";
  if (!["ConditionalCheckFailedException", "TransactionCanceledException"].includes(name)) return [];
  const { Item, CancellationReasons } = refusal.parse(error instanceof AwsCallError ? error.details : error);
  if (name === "ConditionalCheckFailedException") return [{ reason: "condition", item: Item }];
  return CancellationReasons.map(({ Code, Item: item }) => {
    const reason = failureReasons[Code];
    return reason && { reason, item };
  });
};

/** The result of a write with a condition. */
export const resultOf = async (
  write: Promise<{ readonly Attributes?: Item | undefined }>,
): Promise<WriteResult> => {
  try {
    const { Attributes = {} } = await write;
    return { applied: true, item: Attributes };
  } catch (error) {
    const [failure] = failuresOf(error);
    if (!failure) throw error;
    return { applied: false, item: failure.item ?? {} };
  }
};

const returnsRefused = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;

/** The input of `UpdateItem`. */
export const updateInput = (TableName: string, update: ItemUpdate): UpdateCommandInput => ({
  TableName,
  ...update,
  ReturnValues: "ALL_NEW",
  ...returnsRefused,
});

const transactItem = (TableName: string, write: TableWrite) => {
  const common = { TableName, ...returnsRefused };
  if ("update" in write) return { Update: { ...common, ...write.update } };
  if ("put" in write) return { Put: { ...common, Item: write.put, ...write.condition } };
  return "delete" in write
    ? { Delete: { ...common, Key: write.delete, ...write.condition } }
    : { ConditionCheck: { ...common, Key: write.check, ...write.condition } };
};

const queryInput = (
  TableName: string,
  { partition, beginsWith, between, attributes, filter, descending, limit, after }: TableQuery,
): QueryCommandInput => {
  const conditions = ["PK = :partition"];
  if (beginsWith !== undefined) conditions.push("begins_with(SK, :prefix)");
  if (between) conditions.push("SK BETWEEN :first AND :last");
  return {
    TableName,
    KeyConditionExpression: conditions.join(" AND "),
    ExpressionAttributeValues: {
      ":partition": partition,
      ...(beginsWith === undefined ? {} : { ":prefix": beginsWith }),
      ...(between ? { ":first": between[0], ":last": between[1] } : {}),
      ...filter?.ExpressionAttributeValues,
    },
    ...(attributes && {
      ProjectionExpression: attributes.map((_, index) => `#${index}`).join(", "),
      ExpressionAttributeNames: Object.fromEntries(attributes.map((name, index) => [`#${index}`, name])),
    }),
    ...(filter && { FilterExpression: filter.FilterExpression }),
    ...(descending && { ScanIndexForward: false }),
    ...(limit !== undefined && { Limit: limit }),
    ...(after && { ExclusiveStartKey: { ...after } }),
    ConsistentRead: true,
  };
};

/** DynamoDB takes no more writes in one call. */
const maxBatchSize = 25;
const maxBatchAttempts = 10;

/** One write of a batch. */
type BatchWrite =
  | { readonly DeleteRequest: { Key: ItemKey } }
  | { readonly PutRequest: { Item: Item & ItemKey } };

const itemKey = z.object({ PK: z.string(), SK: z.string() });

/** The key that a write concerns, as text. */
const keyOfWrite = (key: unknown): string => {
  const { PK, SK } = itemKey.parse(key);
  return JSON.stringify([PK, SK]);
};

/** Writes one batch. */
const writeBatch = async (name: string, calls: TableCalls, batch: readonly BatchWrite[]): Promise<void> => {
  let writes = batch;
  for (let attempts = 0; writes.length > 0; attempts += 1) {
    if (attempts === maxBatchAttempts) throw new Error("DynamoDB keeps postponing writes; call again.");
    const RequestItems = { [name]: [...writes] };
    const { UnprocessedItems } = await calls.BatchWriteItem({ RequestItems });
    const left = new Set(
      UnprocessedItems?.[name]?.map(({ DeleteRequest, PutRequest }) =>
        keyOfWrite(DeleteRequest?.Key ?? PutRequest?.Item),
      ),
    );
    writes = writes.filter((write) =>
      left.has(keyOfWrite("PutRequest" in write ? write.PutRequest.Item : write.DeleteRequest.Key)),
    );
  }
};

/** Writes any number of items, batch by batch. */
const writeAll = async (name: string, calls: TableCalls, writes: readonly BatchWrite[]): Promise<void> => {
  for (let start = 0; start < writes.length; start += maxBatchSize) {
    await writeBatch(name, calls, writes.slice(start, start + maxBatchSize));
  }
};

const maxConflictAttempts = 5;
const conflictPauseMilliseconds = 20;

/** The table over the calls of an adapter. */
export const tableOver = (name: string, calls: TableCalls): Table => ({
  read: async (read, signal) =>
    (await calls.GetItem({ TableName: name, ...read, ConsistentRead: true }, signal)).Item,

  update: (update, signal) => resultOf(calls.UpdateItem(updateInput(name, update), signal)),

  put: async (item) => {
    await calls.PutItem({ TableName: name, Item: item });
  },

  putIf: (item, condition) =>
    resultOf(calls.PutItem({ TableName: name, Item: item, ...condition, ...returnsRefused })),

  delete: async (key) => {
    await calls.DeleteItem({ TableName: name, Key: { ...key } });
  },

  deleteIf: (key, condition) =>
    resultOf(calls.DeleteItem({ TableName: name, Key: { ...key }, ...condition, ...returnsRefused })),

  // Every request of an account writes its access item, so conflicts are common, and the SDK does not retry them.
  transact: (writes, { reportsConflicts = false, signal } = {}) => {
    const input = { TransactItems: writes.map((write) => transactItem(name, write)) };
    const attempt = async (): Promise<TransactionResult> => {
      try {
        await calls.TransactWriteItems(input, signal);
        return { applied: true, failures: [] };
      } catch (error) {
        const failures = failuresOf(error);
        if (!failures.some((failure) => failure && (reportsConflicts || failure.reason === "condition"))) {
          throw error;
        }
        return { applied: false, failures };
      }
    };
    return retry(attempt, {
      attempts: maxConflictAttempts,
      isWorthRepeating: (outcome) =>
        outcome.status === "rejected" && failuresOf(outcome.reason).some((failure) => failure !== undefined),
      pauseMilliseconds: (failures) => conflictPauseMilliseconds * 2 ** (failures - 1),
      signal: signal ?? new AbortController().signal,
    });
  },

  query: async (query) => {
    const { limit = Number.POSITIVE_INFINITY } = query;
    const input = queryInput(name, query);
    const items: Item[] = [];
    let start = input.ExclusiveStartKey;
    do {
      const page = await calls.Query(start ? { ...input, ExclusiveStartKey: start } : input);
      for (const item of page.Items ?? []) items.push(item);
      start = page.LastEvaluatedKey;
    } while (start && items.length < limit);
    return items.slice(0, limit);
  },

  putAll: (items) =>
    writeAll(
      name,
      calls,
      items.map((Item) => ({ PutRequest: { Item } })),
    ),

  deleteAll: (keys) =>
    writeAll(
      name,
      calls,
      keys.map(({ PK, SK }) => ({ DeleteRequest: { Key: { PK, SK } } })),
    ),
});
