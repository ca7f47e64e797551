import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";

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
 * All items of a partition, as they are at this moment.
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
const largestBatch = 25;

/** Deletes items; one that is not there is no error. @throws Error when DynamoDB keeps putting some of them off. */
export const deleteItems = async (
  { client, name }: Table,
  keys: readonly { readonly PK: string; readonly SK: string }[],
): Promise<void> => {
  for (let start = 0; start < keys.length; start += largestBatch) {
    let requests = keys
      .slice(start, start + largestBatch)
      .map(({ PK, SK }) => ({ DeleteRequest: { Key: { PK, SK } } }));
    for (let tries = 1; requests.length > 0; tries += 1) {
      if (tries > 10) throw new Error("DynamoDB keeps putting off the deletion; call again.");
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
