import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { ensureTable, startDynamoDb } from "@language-ai/aws-stand-ins";
import { openTable } from "../../infra/sdk-table.ts";
import type { AccountType } from "../../shared/accounts/access/account-access.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import type { Item, ItemKey, RequestTable, Table } from "../../shared/platform/storage/table.ts";

const name = "language-ai";

const region = "eu-west-1";
const credentials = { accessKeyId: "local", secretAccessKey: "local" };

/** A client as the service's own, that talks to a server of the test. */
export const testClient = (endpoint: string): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 3 }), {
    marshallOptions: { removeUndefinedValues: true },
  });

/** The table, as every request uses it. A call on a busy machine takes its time; it is not sent again, and counted twice. */
export const testItems = ({ endpoint, name: tableName }: TestTable["address"]): RequestTable =>
  openLightTable(
    tableName,
    readAwsConfig({
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    }),
    { attemptMilliseconds: 60_000 },
  );

/** Does a call to the table, or lets it fail, or waits. @param call its name in DynamoDB, such as `UpdateItem`. */
type Around = <Result>(work: () => Promise<Result>, call: string) => Promise<Result>;

/** The same table, each call of which goes through a function of the test. */
export const aroundCalls = (table: RequestTable, around: Around): RequestTable => {
  const within =
    <Given extends unknown[], Result>(call: string, method: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      around(() => method(...given), call);
  return {
    read: within("GetItem", table.read),
    update: within("UpdateItem", table.update),
    updateWithFallback: within("UpdateItem", table.updateWithFallback),
    put: within("PutItem", table.put),
    putIf: within("PutItem", table.putIf),
    delete: within("DeleteItem", table.delete),
    deleteIf: within("DeleteItem", table.deleteIf),
    transact: within("TransactWriteItems", table.transact),
    query: within("Query", table.query),
    putAll: within("BatchWriteItem", table.putAll),
    deleteAll: within("BatchWriteItem", table.deleteAll),
  };
};

/** The service's table in an embedded DynamoDB, and a look behind the scenes. */
export interface TestTable {
  /** A client with connections of its own, whose middleware a test may change. */
  openClient(): DynamoDBDocumentClient;
  /** Another instance of a function: by default without the SDK, whose calls cost three times as much. */
  open(client?: DynamoDBDocumentClient): Table;
  /** The same, as every request uses it. */
  openForRequests(): RequestTable;
  read(key: ItemKey): Promise<Item | undefined>;
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
  const opened: DynamoDBDocumentClient[] = [];
  const calls: string[] = [];
  const own = testClient(endpoint);
  await ensureTable(own, tableName, {
    AttributeDefinitions: [
      { AttributeName: "PK", AttributeType: "S" },
      { AttributeName: "SK", AttributeType: "S" },
    ],
    KeySchema: [
      { AttributeName: "PK", KeyType: "HASH" },
      { AttributeName: "SK", KeyType: "RANGE" },
    ],
  });
  const openClient = () => {
    const client = testClient(endpoint);
    client.middlewareStack.add(
      (next, context) => (input) => {
        calls.push(String(context["commandName"]).replace(/Command$/, ""));
        return next(input);
      },
      { step: "initialize" },
    );
    opened.push(client);
    return client;
  };
  const openForRequests = () =>
    aroundCalls(testItems({ endpoint, name: tableName }), (work, call) => {
      calls.push(call);
      return work();
    });
  return {
    openClient,
    open: (client) => (client ? openTable(tableName, client) : openForRequests()),
    address: { endpoint, name: tableName },
    openForRequests,
    read: (Key) => testItems({ endpoint, name: tableName }).read({ Key }),
    calls,
    close: async () => {
      for (const client of [own, ...opened]) client.destroy();
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
