import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { ensureTable, startDynamoDb } from "@language-ai/aws-stand-ins";
import type { AccountType } from "../../shared/accounts/access/account.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { openItemTable, type WritableItemTable } from "../../shared/platform/storage/item-table.ts";
import type { Table } from "../../shared/platform/storage/table.ts";

const name = "language-ai";

const region = "eu-west-1";
const credentials = { accessKeyId: "local", secretAccessKey: "local" };

/** A client as the service's own, that talks to a server of the test. */
export const testTable = (endpoint: string, tableName = name): Table => ({
  name: tableName,
  client: DynamoDBDocumentClient.from(
    new DynamoDBClient({
      endpoint,
      region,
      credentials,
      maxAttempts: 3,
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  ),
});

/** The same, as every request uses it. */
export const testItems = ({ endpoint, name: tableName }: TestTable["address"]): WritableItemTable =>
  openItemTable(
    tableName,
    readAwsConfig({
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    }),
  );

/** The service's table in an embedded DynamoDB, and a look behind the scenes. */
export interface TestTable {
  /** Another instance of a function: a client with connections of its own. */
  open(): Table;
  /** The same, as every request uses it. */
  openForRequests(): WritableItemTable;
  read(key: Record<string, string>): Promise<Record<string, unknown> | undefined>;
  /** Where it is, for a process of its own. */
  readonly address: { readonly endpoint: string; readonly name: string };
  /** Names of the calls that were sent through all tables, such as `UpdateItem`. */
  readonly calls: string[];
  close(): Promise<void>;
}

/** The embedded DynamoDB, or the other one that `npm run verify` lets the same tests run against. */
const startServer = async () => {
  const other = process.env["VERIFY_ENDPOINT_DYNAMODB"];
  if (other) return { endpoint: other, tableName: `${name}-${randomUUID()}`, close: async () => undefined };
  const dataDirectory = await mkdtemp(join(tmpdir(), "language-ai-table-"));
  const { endpoint, close } = await startDynamoDb({ dataDirectory });
  return {
    endpoint,
    tableName: name,
    close: async () => {
      await close();
      await rm(dataDirectory, { recursive: true });
    },
  };
};

export const startTestTable = async (): Promise<TestTable> => {
  const server = await startServer();
  const { endpoint, tableName } = server;
  const opened: Table[] = [];
  const calls: string[] = [];
  const own = testTable(endpoint, tableName);
  await ensureTable(own.client, tableName, {
    AttributeDefinitions: [
      { AttributeName: "PK", AttributeType: "S" },
      { AttributeName: "SK", AttributeType: "S" },
    ],
    KeySchema: [
      { AttributeName: "PK", KeyType: "HASH" },
      { AttributeName: "SK", KeyType: "RANGE" },
    ],
  });
  return {
    open: () => {
      const table = testTable(endpoint, tableName);
      table.client.middlewareStack.add(
        (next, context) => (input) => {
          calls.push(String(context["commandName"]).replace(/Command$/, ""));
          return next(input);
        },
        { step: "initialize" },
      );
      opened.push(table);
      return table;
    },
    address: { endpoint, name: tableName },
    openForRequests: () => {
      const table = testItems({ endpoint, name: tableName });
      return {
        read: (...given) => {
          calls.push("GetItem");
          return table.read(...given);
        },
        update: (...given) => {
          calls.push("UpdateItem");
          return table.update(...given);
        },
        updateTogether: (...given) => {
          calls.push("TransactWriteItems");
          return table.updateTogether(...given);
        },
        put: (...given) => {
          calls.push("PutItem");
          return table.put(...given);
        },
        delete: (...given) => {
          calls.push("DeleteItem");
          return table.delete(...given);
        },
      };
    },
    read: async (Key) => {
      const { Item } = await own.client.send(
        new GetCommand({ TableName: tableName, Key, ConsistentRead: true }),
      );
      return Item;
    },
    calls,
    close: async () => {
      for (const { client } of [own, ...opened]) client.destroy();
      await server.close();
    },
  };
};

/** Creates an account without a password login. @returns its id. */
export const createTestAccount = async (table: Table, type?: AccountType): Promise<number> => {
  const accounts = createAccountsRepository(table);
  const username = `user-${randomUUID()}`;
  const { id } = await accounts.create({
    username,
    email: `${username}@example.com`,
    password_hash: "$argon2id$the-hash",
    organization: "Unknown",
    full_name: undefined,
    organization_type: undefined,
    sector: undefined,
  });
  if (type) await accounts.setAccountType(id, type);
  return id;
};
