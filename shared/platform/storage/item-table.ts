import { randomUUID } from "node:crypto";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import * as z from "zod";
import type { AwsConfig } from "../outbound/aws-config.ts";
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

/** What is read of one item, in DynamoDB's words. */
export interface ItemRead {
  readonly Key: Item;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}

/** The outcome of an update: the item after it, or the item that failed the condition. */
export interface UpdateResult {
  readonly applied: boolean;
  readonly item: Item;
}

/**
 * The service's table as callers wait for it: reads and writes of single items, without the SDK's weight. Everything else
 * goes through `table.ts`.
 */
export interface ItemTable {
  /** Reads an item consistently; `undefined` when it does not exist. */
  read(read: ItemRead, signal?: AbortSignal): Promise<Item | undefined>;
  /**
   * Updates or creates one item, if its condition holds.
   *
   *
   * @param again what another attempt sends once it is unknown whether the last one changed the item: by default the
   * same; `undefined` for nothing.
   */
  update(
    update: ItemUpdate,
    signal?: AbortSignal,
    again?: () => ItemUpdate | undefined,
  ): Promise<UpdateResult>;
  /**
   * Updates or creates several items, all or none. Repeated attempts change them once.
   *
   *
   * @returns whether they were changed: not when a condition failed, or another write conflicted.
   */
  updateTogether(updates: readonly ItemUpdate[], signal?: AbortSignal): Promise<boolean>;
}

/** The same for what writes items of its own as well. */
export interface WritableItemTable extends ItemTable {
  /** Writes one item, replacing any with its key. */
  put(item: Item): Promise<void>;
  /** Removes one item; none of this key is no error. */
  delete(key: Item): Promise<void>;
}

type WireItem = Readonly<Record<string, AttributeValue>>;

const wireItem = z.custom<WireItem>((value) => typeof value === "object" && value !== null);

const found = z.object({ Item: wireItem.optional() });
const changed = z.object({ Attributes: wireItem.optional() });

/** What most attributes are is read and written here: the packages take five times as long, with every request. */
const fromWire = (wire: AttributeValue): unknown => {
  if (wire.N !== undefined) return Number(wire.N);
  if (wire.M !== undefined) return toItem(wire.M);
  return wire.S ?? wire.BOOL ?? unmarshall({ wire })["wire"];
};

const toWire = (value: unknown): AttributeValue | undefined => {
  if (typeof value === "string") return { S: value };
  if (typeof value === "number") return { N: String(value) };
  return typeof value === "boolean" ? { BOOL: value } : marshall({ value })["value"];
};

const toItem = (wire: WireItem = {}): Item => {
  const item: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wire)) item[name] = fromWire(value);
  return item;
};

const fromItem = (item: Item): Record<string, AttributeValue | undefined> => {
  const wire: Record<string, AttributeValue | undefined> = {};
  for (const [name, value] of Object.entries(item)) wire[name] = toWire(value);
  return wire;
};

const cancellation = z.object({ CancellationReasons: z.array(z.object({ Code: z.string() })) });

/** Whether a transaction was cancelled by a condition or a concurrent write. */
const isConflict = (error: unknown): boolean =>
  error instanceof AwsCallError &&
  error.name === "TransactionCanceledException" &&
  cancellation
    .parse(error.details)
    .CancellationReasons.some(({ Code }) => /^(?:ConditionalCheckFailed|TransactionConflict)$/.test(Code));

/** Opens the table. A call takes at most about 10 seconds, retries included, and fails with an AwsCallError. */
export const openItemTable = (name: string, aws: AwsConfig): WritableItemTable => {
  const dynamodb = openAwsJsonService("DynamoDB", aws);
  const changeOf = ({ Key, ExpressionAttributeValues, ...expressions }: ItemUpdate) => ({
    TableName: name,
    Key: fromItem(Key),
    ...expressions,
    ...(ExpressionAttributeValues ? { ExpressionAttributeValues: fromItem(ExpressionAttributeValues) } : {}),
  });
  const requestOf = (update: ItemUpdate) => ({
    ...changeOf(update),
    ReturnValues: "ALL_NEW",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  return {
    read: async ({ Key, ...expressions }, signal) => {
      const request = { TableName: name, Key: fromItem(Key), ...expressions, ConsistentRead: true };
      const { Item } = found.parse(await dynamodb.call("GetItem", request, signal));
      return Item && toItem(Item);
    },

    update: async (update, signal, again) => {
      const requestAgain =
        again &&
        (() => {
          const other = again();
          return other && requestOf(other);
        });
      try {
        const result = await dynamodb.call("UpdateItem", requestOf(update), signal, requestAgain);
        return { applied: true, item: toItem(changed.parse(result).Attributes) };
      } catch (error) {
        if (!(error instanceof AwsCallError) || error.name !== "ConditionalCheckFailedException") throw error;
        return { applied: false, item: toItem(found.parse(error.details).Item) };
      }
    },

    updateTogether: async (updates, signal) => {
      // The token makes every further try of the same transaction the same one to DynamoDB.
      const request = {
        ClientRequestToken: randomUUID(),
        TransactItems: updates.map((update) => ({ Update: changeOf(update) })),
      };
      try {
        await dynamodb.call("TransactWriteItems", request, signal);
        return true;
      } catch (error) {
        if (isConflict(error)) return false;
        throw error;
      }
    },

    put: async (item) => {
      await dynamodb.call("PutItem", { TableName: name, Item: fromItem(item) });
    },

    delete: async (key) => {
      await dynamodb.call("DeleteItem", { TableName: name, Key: fromItem(key) });
    },
  };
};
