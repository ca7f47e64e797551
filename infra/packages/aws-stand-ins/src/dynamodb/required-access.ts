import * as z from "zod";
import { localAccountId, localRegion } from "../iam/local-account.ts";
import type { AccessRequest } from "../iam/policy.ts";
import type { JsonObject } from "./store.ts";

/** Returns the name of the partition key of a table or of one of its indexes; `undefined` when there is no such table. */
export type PartitionKeyOf = (table: string, index?: string) => Promise<string | undefined>;

const item = z.record(z.string(), z.unknown());
const keyed = z.object({ TableName: z.string(), Key: item });
const put = z.object({ TableName: z.string(), Item: item });

/** One item that a call reads or writes. */
interface Part {
  readonly operation: string;
  readonly table: string;
  readonly item: Readonly<Record<string, unknown>>;
}

const keyedPart = (operation: string) =>
  keyed.transform(({ TableName: table, Key }): Part => ({ operation, table, item: Key }));
const putPart = put.transform(
  ({ TableName: table, Item }): Part => ({ operation: "PutItem", table, item: Item }),
);

const oneItem: Readonly<Record<string, z.ZodType<Part> | undefined>> = {
  GetItem: keyedPart("GetItem"),
  UpdateItem: keyedPart("UpdateItem"),
  DeleteItem: keyedPart("DeleteItem"),
  PutItem: putPart,
};

const transaction = z.object({
  TransactItems: z.array(
    z.union([
      z.object({ Get: keyedPart("GetItem") }).transform(({ Get }) => Get),
      z.object({ Put: putPart }).transform(({ Put }) => Put),
      z.object({ Update: keyedPart("UpdateItem") }).transform(({ Update }) => Update),
      z.object({ Delete: keyedPart("DeleteItem") }).transform(({ Delete }) => Delete),
      z.object({ ConditionCheck: keyedPart("ConditionCheckItem") }).transform((part) => part.ConditionCheck),
    ]),
  ),
});

const batchRead = z.object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(item) })) });
const batchWrite = z.object({
  RequestItems: z.record(
    z.string(),
    z.array(
      z.union([
        z.object({ DeleteRequest: z.object({ Key: item }) }).transform((write) => write.DeleteRequest.Key),
        z.object({ PutRequest: z.object({ Item: item }) }).transform((write) => write.PutRequest.Item),
      ]),
    ),
  ),
});

const query = z.object({
  TableName: z.string(),
  IndexName: z.string().optional(),
  KeyConditionExpression: z.string().optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).default({}),
  ExpressionAttributeValues: item.default({}),
});

const tableArn = (table: string, index?: string): string => {
  const arn = table.startsWith("arn:")
    ? table
    : `arn:aws:dynamodb:${localRegion}:${localAccountId}:table/${table}`;
  return index === undefined ? arn : `${arn}/index/${index}`;
};

/** The text of a key, which has one of three types. */
const keyValue = z.union([
  z.object({ S: z.string() }).transform(({ S }) => S),
  z.object({ N: z.string() }).transform(({ N }) => N),
  z.object({ B: z.string() }).transform(({ B }) => B),
]);

const keyText = (value: unknown): string | undefined => keyValue.safeParse(value).data;

const requestOf = (
  operation: string,
  resource: string,
  keys: readonly (string | undefined)[],
): AccessRequest => {
  const known = keys.filter((key) => key !== undefined);
  return {
    action: `dynamodb:${operation}`,
    resource,
    context: known.length === 0 ? {} : { "dynamodb:LeadingKeys": [...new Set(known)] },
  };
};

const keyOfPart = async (part: Part, keyOf: PartitionKeyOf): Promise<string | undefined> => {
  const name = await keyOf(part.table);
  return name === undefined ? undefined : keyText(part.item[name]);
};

/**
 * A transaction needs the permission of each part. AWS documents nowhere whether it judges `LeadingKeys` of each part alone or
 * of all together, so both must be allowed here: each part alone, and each action with all keys of its table.
 */
const ofTransaction = async (parts: readonly Part[], keyOf: PartitionKeyOf): Promise<AccessRequest[]> => {
  const judged = await Promise.all(parts.map(async (part) => ({ part, key: await keyOfPart(part, keyOf) })));
  return judged.flatMap(({ part: { operation, table }, key }) => {
    const together = judged.filter(({ part }) => part.table === table).map((each) => each.key);
    return [requestOf(operation, tableArn(table), [key]), requestOf(operation, tableArn(table), together)];
  });
};

/** The value that a query compares the partition key with. */
const queriedKey = (input: z.output<typeof query>, name: string): string | undefined => {
  const aliases = Object.entries(input.ExpressionAttributeNames)
    .filter(([, meant]) => meant === name)
    .map(([alias]) => alias);
  const names = [name, ...aliases].map((each) => each.replaceAll(/\W/g, "\\$&")).join("|");
  const comparison = new RegExp(`(?<![\\w#])(?:${names})\\s*=\\s*(?<value>:\\w+)`);
  const value = comparison.exec(input.KeyConditionExpression ?? "")?.groups?.["value"] ?? "";
  return keyText(input.ExpressionAttributeValues[value]);
};

const ofQuery = async (input: JsonObject, keyOf: PartitionKeyOf): Promise<AccessRequest[]> => {
  const parsed = query.safeParse(input);
  if (!parsed.success) return [requestOf("Query", "*", [])];
  const { TableName: table, IndexName: index } = parsed.data;
  const name = await keyOf(table, index);
  const key = name === undefined ? undefined : queriedKey(parsed.data, name);
  return [requestOf("Query", tableArn(table, index), [key])];
};

const ofBatch = async (
  operation: string,
  tables: readonly (readonly [table: string, items: readonly Part["item"][]])[],
  keyOf: PartitionKeyOf,
): Promise<AccessRequest[]> =>
  Promise.all(
    tables.map(async ([table, items]) => {
      const keys = await Promise.all(items.map((each) => keyOfPart({ operation, table, item: each }, keyOf)));
      return requestOf(operation, tableArn(table), keys);
    }),
  );

const withTable = z.object({ TableName: z.string() });

/** What a call needs, by the operation's name in `X-Amz-Target`. Input that is invalid has no keys, so conditions deny it. */
export const requiredAccess = async (
  operation: string,
  input: JsonObject,
  keyOf: PartitionKeyOf,
): Promise<AccessRequest[]> => {
  if (operation === "Query") return ofQuery(input, keyOf);
  const part = oneItem[operation]?.safeParse(input);
  if (part?.success) {
    return [requestOf(operation, tableArn(part.data.table), [await keyOfPart(part.data, keyOf)])];
  }
  const transacted = transaction.safeParse(input);
  if (operation.startsWith("Transact") && transacted.success) {
    return ofTransaction(transacted.data.TransactItems, keyOf);
  }
  const read = batchRead.safeParse(input);
  if (operation === "BatchGetItem" && read.success) {
    const tables = Object.entries(read.data.RequestItems).map(([table, { Keys }]) => [table, Keys] as const);
    return ofBatch(operation, tables, keyOf);
  }
  const written = batchWrite.safeParse(input);
  if (operation === "BatchWriteItem" && written.success) {
    return ofBatch(operation, Object.entries(written.data.RequestItems), keyOf);
  }
  const named = withTable.safeParse(input);
  return [requestOf(operation, named.success ? tableArn(named.data.TableName) : "*", [])];
};
