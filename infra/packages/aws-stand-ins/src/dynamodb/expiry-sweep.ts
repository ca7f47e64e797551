import * as z from "zod";
import { isDynamoDbError } from "./dynamodb-error.ts";
import type { Execute } from "./operations.ts";
import { type JsonObject, keysBelow, type Store, tableKeyPrefix } from "./store.ts";
import { timeToLiveAttribute } from "./table-settings.ts";

/** DynamoDB leaves items alone whose expiry time is more than five years past ("Time to Live", developer guide). */
const maxPastSeconds = 5 * 365 * 86_400;

const storedTable = z.object({
  TableName: z.string(),
  KeySchema: z.array(z.object({ AttributeName: z.string() })),
});

const scanPage = z.object({
  Items: z.array(z.record(z.string(), z.unknown())),
  LastEvaluatedKey: z.unknown().optional(),
});

/**
 * Deletes the items whose expiry time is past, in every table with time to live.
 *
 * @param nowSeconds - The time to compare with, in seconds since 1970.
 * @returns how many items were deleted.
 */
export const sweepExpiredItems = async (
  store: Store,
  execute: Execute,
  nowSeconds: number,
): Promise<number> => {
  let deleted = 0;
  for await (const [, value] of store.db.iterator(keysBelow(tableKeyPrefix))) {
    const { TableName, KeySchema } = storedTable.parse(value);
    const attribute = await timeToLiveAttribute(store, TableName);
    if (attribute === undefined) continue;
    const target = { TableName, ...expressionMembers(attribute, nowSeconds) };
    for await (const item of expiredItems(execute, target)) {
      const key = Object.fromEntries(KeySchema.map(({ AttributeName: name }) => [name, item[name]]));
      if (await deleteExpired(execute, target, key)) deleted += 1;
    }
  }
  return deleted;
};

const isExpired = "#expiry < :now AND #expiry > :longestPast";

const expressionMembers = (attribute: string, nowSeconds: number): JsonObject => ({
  ExpressionAttributeNames: { "#expiry": attribute },
  ExpressionAttributeValues: {
    ":now": { N: String(nowSeconds) },
    ":longestPast": { N: String(nowSeconds - maxPastSeconds) },
  },
});

async function* expiredItems(execute: Execute, target: JsonObject): AsyncGenerator<JsonObject> {
  let ExclusiveStartKey: unknown;
  do {
    const result = await execute("Scan", { ...target, FilterExpression: isExpired, ExclusiveStartKey });
    const page = scanPage.parse(result);
    yield* page.Items;
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

/** Whether it was still expired: it may have been renewed since it was found. */
const deleteExpired = async (execute: Execute, target: JsonObject, key: JsonObject): Promise<boolean> => {
  try {
    await execute("DeleteItem", { ...target, Key: key, ConditionExpression: isExpired });
    return true;
  } catch (error) {
    if (isDynamoDbError(error, "ConditionalCheckFailedException")) return false;
    throw error;
  }
};
