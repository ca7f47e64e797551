import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from "@aws-sdk/lib-dynamodb";
import type { WritableItemTable } from "../../shared/platform/storage/item-table.ts";
import { openTable, type Table } from "../../shared/platform/storage/table.ts";

/** A call to DynamoDB, such as `PutItem`, in JavaScript's types. */
export interface TableCall {
  readonly name: string;
  readonly input: ServiceInputTypes;
}

/** The service's own table, where a test responds to calls instead of DynamoDB. */
export const fakeTable = (
  respond: (call: TableCall) => Promise<Omit<ServiceOutputTypes, "$metadata">>,
): Table => {
  const table = openTable("language-ai");
  table.client.middlewareStack.add(
    (_next, context) =>
      async ({ input }) => {
        const name = String(context["commandName"]).replace(/Command$/, "");
        return { response: {}, output: { ...(await respond({ name, input })), $metadata: {} } };
      },
    { step: "initialize" },
  );
  return table;
};

/** The same table, for what asks it without the SDK. */
export const itemsOf = ({
  client,
  name: TableName,
}: Table): Pick<WritableItemTable, "delete" | "put" | "read"> => ({
  delete: async (Key) => {
    await client.send(new DeleteCommand({ TableName, Key }));
  },
  put: async (Item) => {
    await client.send(new PutCommand({ TableName, Item }));
  },
  read: async ({ Key }) => {
    const { Item } = await client.send(new GetCommand({ TableName, Key }));
    return Item;
  },
});
