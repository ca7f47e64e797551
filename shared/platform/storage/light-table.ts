import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { AwsConfig } from "../outbound/aws-config.ts";
import { type AwsJsonOptions, openAwsJsonService } from "../outbound/aws-json.ts";
import { toWireItem, wireItem } from "./attribute-values.ts";
import type { RequestTable } from "./table.ts";
import { resultOf, type TableCalls, tableOver, updateInput } from "./table-calls.ts";

const response = z.object({
  Item: wireItem.optional(),
  Attributes: wireItem.optional(),
  Items: z.array(wireItem).optional(),
  LastEvaluatedKey: wireItem.optional(),
  UnprocessedItems: z
    .record(
      z.string(),
      z.array(
        z.object({
          DeleteRequest: z.object({ Key: wireItem }).optional(),
          PutRequest: z.object({ Item: wireItem }).optional(),
        }),
      ),
    )
    .optional(),
});

/** The members of requests that hold items. */
const itemMembers = new Set(["ExclusiveStartKey", "ExpressionAttributeValues", "Item", "Key"]);

/** A request with its items in DynamoDB's notation, at any depth. */
const toWireInput = (input: object): object => {
  if (Array.isArray(input)) return input.map(toWireInput);
  const wire: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (itemMembers.has(name)) wire[name] = toWireItem(value);
    else wire[name] = typeof value === "object" && value !== null ? toWireInput(value) : value;
  }
  return wire;
};

/** Opens the table without the AWS SDK, for functions that callers wait for. Its calls fail with an AwsCallError. */
export const openLightTable = (name: string, aws: AwsConfig, options?: AwsJsonOptions): RequestTable => {
  const dynamodb = openAwsJsonService("DynamoDB", aws, options);
  const call = async (
    operation: keyof TableCalls,
    input: object,
    signal?: AbortSignal,
    again?: () => object | undefined,
  ) => response.parse(await dynamodb.call(operation, toWireInput(input), signal, again));
  const calls: TableCalls = {
    GetItem: (input, signal) => call("GetItem", input, signal),
    UpdateItem: (input, signal) => call("UpdateItem", input, signal),
    PutItem: (input) => call("PutItem", input),
    DeleteItem: (input) => call("DeleteItem", input),
    // With the token, DynamoDB applies a transaction once, however often a lost response makes us send it.
    TransactWriteItems: (input, signal) =>
      call("TransactWriteItems", { ClientRequestToken: randomUUID(), ...input }, signal),
    Query: (input) => call("Query", input),
    BatchWriteItem: (input) => call("BatchWriteItem", input),
  };
  return {
    ...tableOver(name, calls),
    updateWithFallback: (update, fallback, signal) => {
      const again = () => {
        const other = fallback();
        return other && toWireInput(updateInput(name, other));
      };
      return resultOf(call("UpdateItem", updateInput(name, update), signal, again));
    },
  };
};
