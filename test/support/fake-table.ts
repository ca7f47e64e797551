import type { Table } from "../../shared/platform/storage/table.ts";
import { type TableCalls, tableOver } from "../../shared/platform/storage/table-calls.ts";

/** A call to DynamoDB, such as `PutItem`, in JavaScript's types. */
export interface TableCall {
  readonly name: keyof TableCalls;
  readonly input: object;
}

/** The service's own table, where a test responds to calls instead of DynamoDB. */
export const fakeTable = (respond: (call: TableCall) => Promise<object>): Table =>
  tableOver("language-ai", {
    GetItem: (input) => respond({ name: "GetItem", input }),
    UpdateItem: (input) => respond({ name: "UpdateItem", input }),
    PutItem: (input) => respond({ name: "PutItem", input }),
    DeleteItem: (input) => respond({ name: "DeleteItem", input }),
    TransactWriteItems: (input) => respond({ name: "TransactWriteItems", input }),
    Query: (input) => respond({ name: "Query", input }),
    BatchWriteItem: (input) => respond({ name: "BatchWriteItem", input }),
  });
