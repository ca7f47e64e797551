import { BatchWriteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { Table } from "../storage/table.ts";
import { messagingKeys } from "./keys.ts";

const storedItem = z.object({ PK: z.string(), SK: z.string(), alias_of: z.string().optional() });
type StoredItem = z.infer<typeof storedItem>;

/** DynamoDB takes no more deletions at once. */
const largestBatch = 25;

const deleteAll = async ({ client, name }: Table, items: readonly StoredItem[]): Promise<void> => {
  for (let start = 0; start < items.length; start += largestBatch) {
    let requests = items
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

/**
 * Deletes everything the assistant knows of a person: preferences, memory, ratings, records of messages.
 *
 * @param sender the id or the phone number by which the platform names the person.
 * @returns how many items were deleted; 0 when nothing was known.
 */
export const forgetSender = async (table: Table, sender: string): Promise<number> => {
  const items: StoredItem[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const { Items, LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: "PK = :sender",
        ExpressionAttributeValues: { ":sender": messagingKeys.sender(sender) },
        ProjectionExpression: "PK, SK, alias_of",
        ConsistentRead: true,
        ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}),
      }),
    );
    items.push(...(Items ?? []).map((item) => storedItem.parse(item)));
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);

  // The other id first: should this fail half-way, the number still leads to what is left.
  const target = items.find(({ alias_of }) => alias_of !== undefined)?.alias_of;
  const ofTarget = target === undefined ? 0 : await forgetSender(table, target);
  await deleteAll(table, items);
  return items.length + ofTarget;
};
