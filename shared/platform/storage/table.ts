import { DynamoDBClient, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand,
  DynamoDBDocumentClient,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { retry } from "../outbound/retry.ts";

/** The service's one table and the client that talks to it. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
}

/** Opens the table. A call takes at most about 10 seconds, retries included. */
export const openTable = (name: string): Table => ({
  name,
  client: DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  ),
});

/**
 * Reads all items of a partition consistently.
 *
 *
 * @param attributes which of their attributes are read.
 */
export const readPartition = async (
  { client, name: TableName }: Table,
  partition: string,
  attributes: readonly string[],
): Promise<Record<string, unknown>[]> => {
  const items: Record<string, unknown>[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: "PK = :partition",
        ExpressionAttributeNames: Object.fromEntries(attributes.map((name, index) => [`#${index}`, name])),
        ExpressionAttributeValues: { ":partition": partition },
        ProjectionExpression: attributes.map((_, index) => `#${index}`).join(", "),
        ConsistentRead: true,
        ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}),
      }),
    );
    items.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
};

/** DynamoDB takes no more deletions at once. */
const maxBatchSize = 25;

/** Deletes items; a missing one is no error. @throws Error when DynamoDB repeatedly defers some of them. */
export const deleteItems = async (
  { client, name }: Table,
  keys: readonly { readonly PK: string; readonly SK: string }[],
): Promise<void> => {
  for (let start = 0; start < keys.length; start += maxBatchSize) {
    let requests = keys
      .slice(start, start + maxBatchSize)
      .map(({ PK, SK }) => ({ DeleteRequest: { Key: { PK, SK } } }));
    for (let attempts = 1; requests.length > 0; attempts += 1) {
      if (attempts > 10) throw new Error("DynamoDB keeps putting off the deletion; call again.");
      const { UnprocessedItems } = await client.send(
        new BatchWriteCommand({ RequestItems: { [name]: requests } }),
      );
      const left = new Set(
        UnprocessedItems?.[name]?.map(({ DeleteRequest }) => JSON.stringify(DeleteRequest?.Key)),
      );
      requests = requests.filter(({ DeleteRequest }) => left.has(JSON.stringify(DeleteRequest.Key)));
    }
  }
};

/** Codes of the reasons for which DynamoDB cancelled a transaction, one for each of its items; none for other failures. */
export const cancellationCodes = (error: unknown): string[] =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).map(({ Code = "" }) => Code)
    : [];

/** The items whose conditions cancelled a transaction, in its order, where the transaction requested them. */
export const cancelledItems = (error: unknown): (Record<string, unknown> | undefined)[] =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).map(({ Item }) => Item && unmarshall(Item))
    : [];

const maxConflictAttempts = 5;
const conflictPauseMilliseconds = 20;

/**
 * Writes several items together, or none of them.
 *
 * Every request of an account writes to its access item. A transaction that meets such a write is cancelled, which the SDK
 * does not try again: here it is, a few times.
 *
 * @throws TransactionCanceledException, or the failure of the table.
 */
export const writeTogether = async (
  { client }: Pick<Table, "client">,
  TransactItems: NonNullable<TransactWriteCommandInput["TransactItems"]>,
): Promise<void> => {
  await retry(() => client.send(new TransactWriteCommand({ TransactItems })), {
    attempts: maxConflictAttempts,
    isWorthRepeating: (outcome) => {
      const codes = outcome.status === "rejected" ? cancellationCodes(outcome.reason) : [];
      return codes.includes("TransactionConflict") && !codes.includes("ConditionalCheckFailed");
    },
    pauseMilliseconds: (failures) => conflictPauseMilliseconds * 2 ** (failures - 1),
    signal: new AbortController().signal,
  });
};
