import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import * as z from "zod";
import type { AwsConfig } from "../config/environment.ts";
import { dependencyUnavailable } from "../errors/dependency-failure.ts";
import { AwsCallError, openAwsJsonService } from "../outbound/aws-json.ts";

/** An item's attributes, or those of its key, in JavaScript's types. */
export type Item = Readonly<Record<string, unknown>>;

/** A change of one item, in DynamoDB's words. */
export interface ItemUpdate {
  readonly Key: Item;
  readonly UpdateExpression: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
}

/** What became of an update: the item after it, or the item that did not meet the condition. */
export interface UpdateResult {
  readonly applied: boolean;
  readonly item: Item;
}

/**
 * The service's table as callers wait for it: reads and writes of single items, without the SDK's weight. Everything else
 * goes through `table.ts`.
 */
export interface ItemTable {
  /**
   * The items of at most 100 keys that exist, in no order, as they are at this moment.
   *
   * @throws AppError `service_unavailable` when DynamoDB left some of them unread, which is how it throttles a batch.
   */
  readItems(keys: readonly Item[], signal?: AbortSignal): Promise<Item[]>;
  /** Changes one item, or makes it, unless its condition is in the way. */
  update(update: ItemUpdate, signal?: AbortSignal): Promise<UpdateResult>;
}

/** The same for what writes items of its own as well. */
export interface WritableItemTable extends ItemTable {
  /** Writes one item, in the place of what has its key. */
  put(item: Item): Promise<void>;
  /** Removes one item; none of this key is no error. */
  delete(key: Item): Promise<void>;
}

type WireItem = Parameters<typeof unmarshall>[0];

const wireItem = z.custom<WireItem>((value) => typeof value === "object" && value !== null);

const batch = z.object({
  Responses: z.record(z.string(), z.array(wireItem)),
  UnprocessedKeys: z.record(z.string(), z.unknown()).optional(),
});

const changed = z.object({ Attributes: wireItem.optional() });
const inTheWay = z.object({ Item: wireItem.optional() });

const toItem = (wire: WireItem | undefined): Item => (wire ? unmarshall(wire) : {});

/** Opens the table. A call takes at most about 10 seconds, retries included, and fails with an AwsCallError. */
export const openItemTable = (name: string, aws: AwsConfig): WritableItemTable => {
  const dynamodb = openAwsJsonService("DynamoDB", aws);
  return {
    readItems: async (keys, signal) => {
      const request = { Keys: keys.map((key) => marshall(key)), ConsistentRead: true };
      const answer = await dynamodb.call("BatchGetItem", { RequestItems: { [name]: request } }, signal);
      const { Responses, UnprocessedKeys } = batch.parse(answer);
      if (UnprocessedKeys?.[name]) throw dependencyUnavailable();
      return (Responses[name] ?? []).map(toItem);
    },

    update: async ({ Key, ExpressionAttributeValues, ...expressions }, signal) => {
      const request = {
        TableName: name,
        Key: marshall(Key),
        ...expressions,
        ...(ExpressionAttributeValues
          ? { ExpressionAttributeValues: marshall(ExpressionAttributeValues) }
          : {}),
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      };
      try {
        const answer = await dynamodb.call("UpdateItem", request, signal);
        return { applied: true, item: toItem(changed.parse(answer).Attributes) };
      } catch (error) {
        if (!(error instanceof AwsCallError) || error.name !== "ConditionalCheckFailedException") throw error;
        return { applied: false, item: toItem(inTheWay.parse(error.details).Item) };
      }
    },

    put: async (item) => {
      await dynamodb.call("PutItem", { TableName: name, Item: marshall(item) });
    },

    delete: async (key) => {
      await dynamodb.call("DeleteItem", { TableName: name, Key: marshall(key) });
    },
  };
};
