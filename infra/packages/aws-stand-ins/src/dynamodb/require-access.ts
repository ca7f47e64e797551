import * as z from "zod";
import { type Authority, denialMessage } from "../iam/authority.ts";
import { serviceError } from "./dynamodb-error.ts";
import { type PartitionKeyOf, requiredAccess } from "./required-access.ts";
import type { JsonObject, Store, TableRecord } from "./store.ts";

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.string() }));
const tableSchema = z.object({
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z.array(z.object({ IndexName: z.string(), KeySchema: keySchema })).default([]),
});

const findTable = (store: Store, name: string): Promise<TableRecord | undefined> =>
  new Promise((resolve) => store.getTable(name, (_error, record) => resolve(record)));

const partitionKeysIn =
  (store: Store): PartitionKeyOf =>
  async (name, index) => {
    const found = tableSchema.safeParse(await findTable(store, name.slice(name.lastIndexOf("/") + 1)));
    if (!found.success) return undefined;
    const { KeySchema, GlobalSecondaryIndexes } = found.data;
    const keys = GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === index)?.KeySchema ?? KeySchema;
    return keys.find(({ KeyType }) => KeyType === "HASH")?.AttributeName;
  };

/** @throws {DynamoDbError} `AccessDeniedException` unless the policies of the caller allow the call. */
export const requireAccess = async (
  store: Store,
  authority: Authority,
  accessKeyId: string,
  operation: string,
  input: JsonObject,
): Promise<void> => {
  if (authority.secretOf(accessKeyId) === undefined) {
    throw serviceError(
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
    );
  }
  const denial = authority.denialOf(
    accessKeyId,
    await requiredAccess(operation, input, partitionKeysIn(store)),
  );
  if (denial) throw serviceError("AccessDeniedException", denialMessage(denial));
};
