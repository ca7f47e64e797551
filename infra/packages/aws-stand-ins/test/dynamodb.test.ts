import { once } from "node:events";
import { connect } from "node:net";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DynamoDbFixture, startFixture, tableName } from "./dynamodb-fixture.ts";

let fixture: DynamoDbFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const put = (item: Record<string, unknown>, options = {}) =>
  fixture.documents.send(new PutCommand({ TableName: tableName, Item: item, ...options }));

const get = async (pk: string, sk = "-") =>
  (await fixture.documents.send(new GetCommand({ TableName: tableName, Key: { pk, sk } }))).Item;

const update = (pk: string, expression: string, options = {}) =>
  fixture.documents.send(
    new UpdateCommand({
      TableName: tableName,
      Key: { pk, sk: "-" },
      UpdateExpression: expression,
      ...options,
    }),
  );

const byEmail = async (email: string) => {
  const { Items } = await fixture.documents.send(
    new QueryCommand({
      TableName: tableName,
      IndexName: "by-email",
      KeyConditionExpression: "email = :email",
      ExpressionAttributeValues: { ":email": email },
    }),
  );
  return Items;
};

describe("items", () => {
  it("are read as they were written", async () => {
    const item = {
      pk: "user#1",
      sk: "-",
      name: "Nakato",
      score: 1.5,
      tags: ["a"],
      nothing: null,
      active: true,
    };
    await put(item);
    expect(await get("user#1")).toEqual(item);
  });

  it("are found through an index and leave it when their index key changes", async () => {
    await put({ pk: "user#2", sk: "-", email: "old@example.org", createdAt: 1 });
    expect(await byEmail("old@example.org")).toHaveLength(1);

    await update("user#2", "SET email = :email", {
      ExpressionAttributeValues: { ":email": "new@example.org" },
    });
    expect(await byEmail("old@example.org")).toEqual([]);
    expect(await byEmail("new@example.org")).toEqual([
      { pk: "user#2", sk: "-", email: "new@example.org", createdAt: 1 },
    ]);

    await fixture.documents.send(new DeleteCommand({ TableName: tableName, Key: { pk: "user#2", sk: "-" } }));
    expect(await byEmail("new@example.org")).toEqual([]);
  });

  it("are written and read in batches", async () => {
    const keys = Array.from({ length: 25 }, (_, number) => ({ pk: "batch", sk: String(number) }));
    await fixture.documents.send(
      new BatchWriteCommand({
        RequestItems: {
          [tableName]: keys.map((key) => ({ PutRequest: { Item: { ...key, email: "b@x", createdAt: 7 } } })),
        },
      }),
    );
    const { Responses } = await fixture.documents.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys: keys } } }),
    );
    expect(Responses?.[tableName]).toHaveLength(25);
    expect(await byEmail("b@x")).toHaveLength(25);
  });

  it("refuse an empty string as the key of an index", async () => {
    await expect(put({ pk: "user#3", sk: "-", email: "", createdAt: 1 })).rejects.toMatchObject({
      name: "ValidationException",
      message: expect.stringContaining("IndexName: by-email, IndexKey: email"),
    });
    expect(await get("user#3")).toBeUndefined();
  });
});

describe("a failed condition", () => {
  const fails = { ConditionExpression: "attribute_not_exists(pk)" };
  const wanted = { ...fails, ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
  const stored = { pk: { S: "taken" }, sk: { S: "-" }, owner: { S: "first" } };
  beforeAll(() => put({ pk: "taken", sk: "-", owner: "first" }));

  it("carries the stored item for put, update and delete on request", async () => {
    const failure = { name: "ConditionalCheckFailedException", Item: stored };
    await expect(put({ pk: "taken", sk: "-" }, wanted)).rejects.toMatchObject(failure);
    await expect(update("taken", "REMOVE nickname", wanted)).rejects.toMatchObject(failure);
    const Key = { pk: "taken", sk: "-" };
    const deletion = new DeleteCommand({
      TableName: tableName,
      Key,
      ...fails,
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    await expect(fixture.documents.send(deletion)).rejects.toMatchObject(failure);
    expect(await get("taken")).toEqual({ ...Key, owner: "first" });
  });

  it("carries no item unless requested", async () => {
    const failure = await put({ pk: "taken", sk: "-" }, fails).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      name: "ConditionalCheckFailedException",
      message: "The conditional request failed",
    });
    expect(failure).toHaveProperty("Item", undefined);
  });

  it("is refused with a value unknown to DynamoDB", async () => {
    await expect(
      put({ pk: "taken", sk: "-" }, { ...fails, ReturnValuesOnConditionCheckFailure: "SOME_OLD" }),
    ).rejects.toMatchObject({ name: "ValidationException" });
  });
});

describe("returned attributes", () => {
  it("are absent, not empty, when the updated attribute is new", async () => {
    const result = await update("fresh", "SET visits = :one", {
      ExpressionAttributeValues: { ":one": 1 },
      ReturnValues: "UPDATED_OLD",
    });
    expect(result.Attributes).toBeUndefined();
    const removal = await update("fresh", "REMOVE visits", { ReturnValues: "UPDATED_NEW" });
    expect(removal.Attributes).toBeUndefined();
  });

  it("hold the new values of an update", async () => {
    const result = await update("counter", "ADD visits :two", {
      ExpressionAttributeValues: { ":two": 2 },
      ReturnValues: "ALL_NEW",
    });
    expect(result.Attributes).toEqual({ pk: "counter", sk: "-", visits: 2 });
  });
});

describe("many clients at once", () => {
  it("add to one counter without losing a step", async () => {
    const step = () => update("sum", "ADD visits :one", { ExpressionAttributeValues: { ":one": 1 } });
    await Promise.all(Array.from({ length: 100 }, step));
    expect(await get("sum")).toMatchObject({ visits: 100 });
  });

  it("have one winner when they put the same new item", async () => {
    const condition = { ConditionExpression: "attribute_not_exists(pk)" };
    const attempts = Array.from({ length: 40 }, (_, owner) => put({ pk: "race", sk: "-", owner }, condition));
    const outcomes = await Promise.allSettled(attempts);
    const winners = outcomes.flatMap(({ status }, owner) => (status === "fulfilled" ? [owner] : []));
    expect(winners).toHaveLength(1);
    expect(await get("race")).toMatchObject({ owner: winners[0] });
  });
});

describe("the endpoint", () => {
  const post = (headers: Record<string, string>, body: string) =>
    fetch(fixture.server.endpoint, { method: "POST", headers, body });
  const signed = { authorization: "AWS4-HMAC-SHA256 Credential=local" };

  it.each([
    [
      "a request without a signature",
      { "x-amz-target": "DynamoDB_20120810.ListTables" },
      "{}",
      "MissingAuthenticationToken",
    ],
    [
      "another service's request",
      { ...signed, "x-amz-target": "AmazonSQS.SendMessage" },
      "{}",
      "UnknownOperation",
    ],
    [
      "an unknown operation",
      { ...signed, "x-amz-target": "DynamoDB_20120810.constructor" },
      "{}",
      "UnknownOperation",
    ],
    [
      "a body that is no JSON",
      { ...signed, "x-amz-target": "DynamoDB_20120810.ListTables" },
      "{",
      "Serialization",
    ],
  ])("refuses %s", async (_, headers, body, error) => {
    const response = await post(headers, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ __type: `com.amazon.coral.service#${error}Exception` });
  });

  it("outlives a client that goes away in the middle of a request", async () => {
    const { port, hostname } = new URL(fixture.server.endpoint);
    const socket = connect(Number(port), hostname);
    socket.write("POST / HTTP/1.1\r\nHost: local\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n{");
    // "100 Continue" shows that the server has started to read the request.
    await once(socket, "data");
    socket.destroy();
    await put({ pk: "after", sk: "-" });
    expect(await get("after")).toBeDefined();
  });
});
