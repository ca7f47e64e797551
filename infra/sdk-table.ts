import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { sdkRequestHandler } from "../shared/platform/outbound/sdk-request-handler.ts";
import type { Table } from "../shared/platform/storage/table.ts";
import { type TableCalls, tableOver } from "../shared/platform/storage/table-calls.ts";

/** The SDK's client. @param silenceMilliseconds per attempt; three of them stay well below a function's time. */
export const createTableClient = (silenceMilliseconds = 3_000): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({ maxAttempts: 3, requestHandler: sdkRequestHandler(silenceMilliseconds) }),
    { marshallOptions: { removeUndefinedValues: true } },
  );

const endedBy = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {});

const callsThrough = (client: DynamoDBDocumentClient): TableCalls => ({
  GetItem: (input, signal) => client.send(new GetCommand(input), endedBy(signal)),
  UpdateItem: (input, signal) => client.send(new UpdateCommand(input), endedBy(signal)),
  PutItem: (input) => client.send(new PutCommand(input)),
  DeleteItem: (input) => client.send(new DeleteCommand(input)),
  TransactWriteItems: (input, signal) => client.send(new TransactWriteCommand(input), endedBy(signal)),
  Query: (input) => client.send(new QueryCommand(input)),
  BatchWriteItem: (input) => client.send(new BatchWriteCommand(input)),
});

/** Opens the table through the AWS SDK, for commands and tests. Functions use `shared/platform/storage/light-table.ts`, which starts in a fraction of the time. */
export const openTable = (name: string, client: DynamoDBDocumentClient = createTableClient()): Table =>
  tableOver(name, callsThrough(client));
