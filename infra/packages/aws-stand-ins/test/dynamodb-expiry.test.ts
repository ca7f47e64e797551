import { rm } from "node:fs/promises";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTimeToLiveCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { PutCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { keysBelow, openStore } from "../src/dynamodb/store.ts";
import { type DynamoDbFixture, getItem, startFixture, tableName } from "./dynamodb-fixture.ts";

const now = 1_800_000_000;
const day = 86_400;

let fixture: DynamoDbFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const put = (pk: string, attributes: Record<string, unknown>) =>
  fixture.documents.send(new PutCommand({ TableName: tableName, Item: { pk, sk: "-", ...attributes } }));

describe("the sweep of expired items", () => {
  it("deletes items whose time is past, with their index entries, and nothing else", async () => {
    await put("past", { expiresAt: now - 1, email: "past@x", createdAt: 1 });
    await put("future", { expiresAt: now + 1 });
    await put("this second", { expiresAt: now });
    await put("for ever", {});
    await put("text", { expiresAt: "soon" });
    // DynamoDB takes such an old time for a mistake.
    await put("six years ago", { expiresAt: now - 6 * 365 * day });

    expect(await fixture.server.sweepExpired(now)).toBe(1);
    expect(await getItem(fixture, "past")).toBeUndefined();
    for (const pk of ["future", "this second", "for ever", "text", "six years ago"]) {
      expect(await getItem(fixture, pk), pk).toBeDefined();
    }
    const { Count } = await fixture.documents.send(
      new QueryCommand({
        TableName: tableName,
        IndexName: "by-email",
        KeyConditionExpression: "email = :email",
        ExpressionAttributeValues: { ":email": "past@x" },
      }),
    );
    expect(Count).toBe(0);
    expect(await fixture.server.sweepExpired(now)).toBe(0);
  });

  it("covers more items than one scan returns", async () => {
    const large = "x".repeat(100_000);
    await Promise.all(
      Array.from({ length: 15 }, (_, number) => put(`large#${number}`, { expiresAt: now - 1, large })),
    );
    expect(await fixture.server.sweepExpired(now)).toBe(15);
  });

  it("takes the present time when none is given", async () => {
    const present = Math.floor(Date.now() / 1000);
    await put("an hour ago", { expiresAt: present - 3600 });
    await put("in an hour", { expiresAt: present + 3600 });
    await fixture.server.sweepExpired();
    expect(await getItem(fixture, "an hour ago")).toBeUndefined();
    expect(await getItem(fixture, "in an hour")).toBeDefined();
  });
});

describe("time to live", () => {
  const name = "sessions";
  const waiting = { maxWaitTime: 10, minDelay: 0.02, maxDelay: 0.2 };
  const create = async () => {
    await fixture.client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      }),
    );
    await waitUntilTableExists({ client: fixture.client, ...waiting }, { TableName: name });
  };
  const set = (Enabled: boolean, TableName = name) =>
    fixture.client.send(
      new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { AttributeName: "until", Enabled },
      }),
    );
  const status = async () => {
    const command = new DescribeTimeToLiveCommand({ TableName: name });
    return (await fixture.client.send(command)).TimeToLiveDescription?.TimeToLiveStatus;
  };

  it("is switched on once and off once", async () => {
    await create();
    expect(await status()).toBe("DISABLED");
    await set(true);
    expect(await status()).toBe("ENABLED");
    await expect(set(true)).rejects.toThrow("TimeToLive is already enabled");
    await set(false);
    expect(await status()).toBe("DISABLED");
    await expect(set(false)).rejects.toThrow("TimeToLive is already disabled");
  });

  it("does not survive the deletion of its table", async () => {
    await set(true);
    await fixture.client.send(new DeleteTableCommand({ TableName: name }));
    await waitUntilTableNotExists({ client: fixture.client, ...waiting }, { TableName: name });
    await create();
    expect(await status()).toBe("DISABLED");
  });

  it("needs a table", async () => {
    await expect(set(true, "nowhere")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  });
});

describe("every minute", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("the server sweeps automatically, and forgets the tokens of transactions after ten minutes", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval"] });
    const own = await startFixture();
    const Item = { pk: "short-lived", sk: "-", expiresAt: Math.floor(Date.now() / 1000) + 300 };
    const put = { Put: { TableName: tableName, Item } };
    await own.documents.send(new TransactWriteCommand({ TransactItems: [put], ClientRequestToken: "token" }));

    vi.advanceTimersByTime(60_000);
    expect(await getItem(own, Item.pk)).toBeDefined();
    vi.advanceTimersByTime(600_000);
    await vi.waitFor(async () => expect(await getItem(own, Item.pk)).toBeUndefined());
    await own.stop({ keepData: true });

    const store = await openStore(own.dataDirectory);
    for await (const [key] of store.db.iterator(keysBelow("transaction-token~"))) expect.unreachable(key);
    await store.db.close();
    await rm(own.dataDirectory, { recursive: true });
  });
});
