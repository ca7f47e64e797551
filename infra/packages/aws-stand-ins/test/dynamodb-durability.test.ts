import { readdir, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DescribeTableCommand, DescribeTimeToLiveCommand, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startDynamoDb } from "../src/dynamodb/dynamodb-server.ts";
import { itemKeyPrefix, openStore, tableKeyPrefix } from "../src/dynamodb/store.ts";
import {
  clientOf,
  getItem,
  spawnServer,
  startFixture,
  tableName,
  temporaryDirectory,
} from "./dynamodb-fixture.ts";

let dataDirectory: string;
beforeEach(async () => {
  dataDirectory = await temporaryDirectory();
});
afterEach(() => rm(dataDirectory, { recursive: true, force: true }));

const startWithOneItem = async () => {
  const fixture = await startFixture(dataDirectory);
  const item = { pk: "kept", sk: "-", value: 42 };
  await fixture.documents.send(new PutCommand({ TableName: tableName, Item: item }));
  return fixture;
};

const leaveOneItem = async () => (await startWithOneItem()).stop({ keepData: true });

describe("a server that is started again", () => {
  it("has its tables, their items and their time to live", async () => {
    await leaveOneItem();
    const again = await startFixture(dataDirectory);
    expect(await getItem(again, "kept")).toEqual({ pk: "kept", sk: "-", value: 42 });
    const timeToLive = await again.client.send(new DescribeTimeToLiveCommand({ TableName: tableName }));
    expect(timeToLive.TimeToLiveDescription).toEqual({
      AttributeName: "expiresAt",
      TimeToLiveStatus: "ENABLED",
    });
    await again.stop();
  });

  it("still knows the tokens of transactions whose responses were lost", async () => {
    const paid = () =>
      new TransactWriteCommand({
        ClientRequestToken: "payment",
        TransactItems: [
          {
            Put: {
              TableName: tableName,
              Item: { pk: "paid", sk: "-" },
              ConditionExpression: "attribute_not_exists(pk)",
            },
          },
        ],
      });
    const first = await startFixture(dataDirectory);
    await first.documents.send(paid());
    await first.stop({ keepData: true });
    const again = await startFixture(dataDirectory);
    await expect(again.documents.send(paid())).resolves.toBeDefined();
    await again.stop();
  });

  it("finishes the creation and the deletion of tables in the middle of which it was killed", async () => {
    await leaveOneItem();
    const store = await openStore(dataDirectory);
    const table = await store.db.get(`${tableKeyPrefix}${tableName}`);
    const creating = Object.assign({}, table, { TableStatus: "CREATING" });
    const deleting = Object.assign({}, table, { TableName: "deleted", TableStatus: "DELETING" });
    await store.db.batch([
      { type: "put", key: `${tableKeyPrefix}${tableName}`, value: creating },
      { type: "put", key: `${tableKeyPrefix}deleted`, value: deleting },
      { type: "put", key: `${itemKeyPrefix("deleted")}key`, value: { pk: { S: "rest" }, sk: { S: "-" } } },
    ]);
    await store.db.close();

    const again = await startFixture(dataDirectory);
    const { Table } = await again.client.send(new DescribeTableCommand({ TableName: tableName }));
    expect(Table?.TableStatus).toBe("ACTIVE");
    expect(Table?.GlobalSecondaryIndexes?.[0]?.IndexStatus).toBe("ACTIVE");
    expect((await again.client.send(new ListTablesCommand())).TableNames).toEqual([tableName]);
    await again.stop({ keepData: true });
    const rest = await openStore(dataDirectory);
    expect(await rest.db.get(`${itemKeyPrefix("deleted")}key`)).toBeUndefined();
    await rest.db.close();
  });
});

describe("a data directory", () => {
  const start = () => startDynamoDb({ dataDirectory });

  it("in use by another process is refused with one sentence", async () => {
    const other = await spawnServer(dataDirectory);
    await expect(start()).rejects.toThrow(
      /^The DynamoDB data directory .*dynamodb-\w+ is in use by another process\.$/,
    );
    await other.kill();
    await (await start()).close();
  });

  it("in use by this process is refused, and stays locked against others", async () => {
    const server = await start();
    await expect(start()).rejects.toThrow(
      /^The DynamoDB data directory .*dynamodb-\w+ is already in use by this process\.$/,
    );
    await expect(spawnServer(dataDirectory)).rejects.toThrow("is in use by another process.");
    await server.close();
  });

  const unreadable = /^The DynamoDB data directory .*dynamodb-\w+ cannot be opened: [^\n]+\.$/;

  const filesLike = async (pattern: RegExp) =>
    (await readdir(dataDirectory))
      .filter((file) => pattern.test(file))
      .map((file) => join(dataDirectory, file));
  const removeAll = async (files: readonly string[]) => {
    await Promise.all(files.map((file) => unlink(file)));
  };
  const garble = async (files: readonly string[]) => {
    for (const file of files) {
      const bytes = await readFile(file);
      await writeFile(
        file,
        bytes.fill("garbage", Math.floor(bytes.length / 3), Math.floor(bytes.length / 2)),
      );
    }
  };

  it.each([
    ["a garbled CURRENT file", async () => garble(await filesLike(/^CURRENT$/))],
    ["a missing CURRENT file", async () => removeAll(await filesLike(/^CURRENT$/))],
    ["a missing manifest", async () => removeAll(await filesLike(/^MANIFEST/))],
    ["a garbled log", async () => garble(await filesLike(/\.log$/))],
  ])("with %s is refused with one sentence, and its data stays there", async (_, damage) => {
    await leaveOneItem();
    await damage();
    const before = await filesLike(/\.(ldb|log)$/);
    await expect(start()).rejects.toThrow(unreadable);
    expect(await filesLike(/\.(ldb|log)$/)).toEqual(before);
  });

  it("with a garbled table file is refused with one sentence", async () => {
    await leaveOneItem();
    // LevelDB moves what it finds in its log to a table file when it starts.
    await (await start()).close();
    const tables = await filesLike(/\.ldb$/);
    expect(tables).not.toEqual([]);
    await garble(tables);
    await expect(start()).rejects.toThrow(unreadable);
  });

  it("that is a file is refused with one sentence", async () => {
    await rm(dataDirectory, { recursive: true });
    await writeFile(dataDirectory, "not a directory");
    await expect(start()).rejects.toThrow(unreadable);
  });

  it("is released when the port is taken", async () => {
    const other = await startFixture();
    const port = Number(new URL(other.server.endpoint).port);
    await expect(startDynamoDb({ dataDirectory, port })).rejects.toThrow(`Port ${port} is in use.`);
    await (await start()).close();
    await other.stop();
  });
});

describe("a server that is closed", () => {
  it("finishes pending requests and may be closed twice", async () => {
    const { documents, server, client } = await startWithOneItem();
    const puts = Array.from({ length: 20 }, (_, number) =>
      documents.send(new PutCommand({ TableName: tableName, Item: { pk: `late#${number}`, sk: "-" } })),
    );
    await Promise.race(puts);
    const outcomes = Promise.allSettled(puts);
    await Promise.all([server.close(), server.close()]);
    const succeeded = (await outcomes).flatMap(({ status }, number) =>
      status === "fulfilled" ? [`late#${number}`] : [],
    );
    client.destroy();

    const again = await startFixture(dataDirectory);
    for (const pk of succeeded) expect(await getItem(again, pk)).toBeDefined();
    expect(succeeded.length).toBeGreaterThan(0);
    await again.stop();
  });

  it("no longer responds", async () => {
    const { server, client } = await startWithOneItem();
    await server.close();
    client.destroy();
    await expect(clientOf(server.endpoint).send(new ListTablesCommand())).rejects.toThrow("ECONNREFUSED");
  });
});
