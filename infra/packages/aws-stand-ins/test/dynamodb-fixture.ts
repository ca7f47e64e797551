import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { type DynamoDbServer, startDynamoDb } from "../src/dynamodb/dynamodb-server.ts";
import { ensureTable } from "../src/dynamodb/ensure-table.ts";

export const tableName = "notes";

/** The properties of an AWS::DynamoDB::GlobalTable, as the CDK writes them. */
export const tableProperties = {
  TableName: tableName,
  AttributeDefinitions: [
    { AttributeName: "pk", AttributeType: "S" },
    { AttributeName: "sk", AttributeType: "S" },
    { AttributeName: "email", AttributeType: "S" },
    { AttributeName: "createdAt", AttributeType: "N" },
  ],
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: "by-email",
      KeySchema: [
        { AttributeName: "email", KeyType: "HASH" },
        { AttributeName: "createdAt", KeyType: "RANGE" },
      ],
      Projection: { ProjectionType: "ALL" },
    },
  ],
  BillingMode: "PAY_PER_REQUEST",
  TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true },
  Replicas: [
    {
      Region: "eu-west-1",
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    },
  ],
};

/** A client that never repeats a request, so that a test sees every response. */
export const clientOf = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({
    endpoint,
    region: "eu-west-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  });

export const temporaryDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), "dynamodb-"));

/** A running server with one table, on a data directory of its own. */
export interface DynamoDbFixture {
  readonly dataDirectory: string;
  readonly server: DynamoDbServer;
  readonly client: DynamoDBClient;
  readonly documents: DynamoDBDocumentClient;
  /** Ends the server; `dataDirectory` stays when it is wanted for another one. */
  stop(options?: { readonly keepData: boolean }): Promise<void>;
}

export const startFixture = async (directory?: string): Promise<DynamoDbFixture> => {
  const dataDirectory = directory ?? (await temporaryDirectory());
  const server = await startDynamoDb({ dataDirectory });
  const client = clientOf(server.endpoint);
  await ensureTable(client, tableName, tableProperties);
  return {
    dataDirectory,
    server,
    client,
    documents: DynamoDBDocumentClient.from(client),
    stop: async (options) => {
      client.destroy();
      await server.close();
      if (!options?.keepData) await rm(dataDirectory, { recursive: true });
    },
  };
};

/** The item with this partition key and the sort key "-". */
export const getItem = async ({ documents }: DynamoDbFixture, pk: string) =>
  (await documents.send(new GetCommand({ TableName: tableName, Key: { pk, sk: "-" } }))).Item;

/** A server in a process of its own. */
export interface ServerProcess {
  readonly endpoint: string;
  readonly processId: number | undefined;
  /** Ends it with SIGKILL and waits until it is gone. */
  kill(): Promise<void>;
}

/** @throws {Error} with what the process wrote to its standard error when it ends before it is ready. */
export const spawnServer = async (dataDirectory: string): Promise<ServerProcess> => {
  const script = fileURLToPath(new URL("dynamodb-process.ts", import.meta.url));
  const child = spawn(process.execPath, [script, dataDirectory], { stdio: "pipe" });
  const gone = once(child, "close");
  const complaint = text(child.stderr);
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), gone]);
  if (typeof line !== "string") throw new Error(await complaint);
  return {
    endpoint: line,
    processId: child.pid,
    kill: async () => {
      child.kill("SIGKILL");
      await gone;
    },
  };
};
