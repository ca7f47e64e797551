import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAwsConfig } from "../../../../shared/platform/config/environment.ts";
import { openItemTable } from "../../../../shared/platform/storage/item-table.ts";
import { type FakeBackend, resetting, responding, startFakeBackend } from "../../../support/fake-backend.ts";

let server: FakeBackend;
beforeAll(async () => {
  server = await startFakeBackend();
});
afterAll(() => server.close());

const tableAt = (address: string) =>
  openItemTable("language-ai", readAwsConfig({ AWS_ENDPOINT_URL: address }));

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ minLength: 1 }),
    fc.uniqueArray(fc.integer(), { minLength: 1 }).map((numbers) => new Set(numbers)),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.string({ minLength: 1 }), tie("any"), { maxKeys: 3 }),
  ),
})).any;
const item = fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9:-]{0,8}$/), value, { maxKeys: 6 });

/** As it is on the wire: bytes in base64. */
const onTheWire = (wire: unknown): unknown =>
  JSON.parse(
    JSON.stringify(wire, (_name, each: unknown) =>
      each instanceof Uint8Array ? Buffer.from(each).toString("base64") : each,
    ),
  );

describe("an item of the table", () => {
  it("is read as the SDK reads it", async () => {
    const sent = item.filter((each) => !JSON.stringify(onTheWire(marshall(each))).includes('"B":'));
    await fc.assert(
      fc.asyncProperty(sent, async (each) => {
        const wire = onTheWire(marshall(each));
        server.behave(responding(200, { Item: wire }));
        const found = await tableAt(server.baseUrl).read({ Key: { PK: "a", SK: "b" } });
        expect(found).toEqual(unmarshall(marshall(each)));
      }),
      { numRuns: 50 },
    );
  });

  it("is written as the SDK writes it", async () => {
    const plain = item.filter((each) => !JSON.stringify(onTheWire(marshall(each))).includes('"B":'));
    await fc.assert(
      fc.asyncProperty(plain, async (each) => {
        server.behave(responding(200, {}));
        await tableAt(server.baseUrl).put(each);
        const { Item } = JSON.parse(String(server.received.at(-1)?.body));
        expect(Item).toEqual(onTheWire(marshall(each)));
      }),
      { numRuns: 50 },
    );
  });

  it("that is missing is undefined", async () => {
    server.behave(responding(200, {}));
    expect(await tableAt(server.baseUrl).read({ Key: { PK: "a", SK: "b" } })).toBeUndefined();
  });
});

describe("items that are changed together", () => {
  const updates = [
    {
      Key: { PK: "a", SK: "b" },
      UpdateExpression: "REMOVE #a",
      ConditionExpression: "#a = :a",
      ExpressionAttributeNames: { "#a": "count" },
      ExpressionAttributeValues: { ":a": 3 },
    },
    { Key: { PK: "c", SK: "d" }, UpdateExpression: "ADD n :n", ExpressionAttributeValues: { ":n": 3 } },
  ];
  const sent = () => server.received.map(({ body }) => JSON.parse(body));

  it("are one transaction, however often it is sent", async () => {
    server.behave(resetting, responding(200, {}));
    expect(await tableAt(server.baseUrl).updateTogether(updates)).toBe(true);
    const [first, second, ...others] = sent();
    expect(others).toEqual([]);
    expect(second).toEqual(first);
    expect(first).toEqual({
      ClientRequestToken: expect.stringMatching(/^[0-9a-f-]{36}$/),
      TransactItems: [
        {
          Update: {
            TableName: "language-ai",
            Key: { PK: { S: "a" }, SK: { S: "b" } },
            UpdateExpression: "REMOVE #a",
            ConditionExpression: "#a = :a",
            ExpressionAttributeNames: { "#a": "count" },
            ExpressionAttributeValues: { ":a": { N: "3" } },
          },
        },
        {
          Update: {
            TableName: "language-ai",
            Key: { PK: { S: "c" }, SK: { S: "d" } },
            UpdateExpression: "ADD n :n",
            ExpressionAttributeValues: { ":n": { N: "3" } },
          },
        },
      ],
    });
    await tableAt(server.baseUrl).updateTogether(updates);
    expect(sent().at(-1).ClientRequestToken).not.toBe(first.ClientRequestToken);
  });

  const cancelled = (...codes: string[]) =>
    responding(400, {
      __type: "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
      Message: "Transaction cancelled",
      CancellationReasons: codes.map((Code) => ({ Code })),
    });

  it.each([
    ["a condition of one", "None", "ConditionalCheckFailed"],
    ["another write of one", "TransactionConflict", "None"],
  ])("stay unchanged when %s conflicts", async (_case, ...codes) => {
    server.behave(cancelled(...codes));
    expect(await tableAt(server.baseUrl).updateTogether(updates)).toBe(false);
  });

  it("fail when they cannot be changed at all", async () => {
    server.behave(cancelled("ValidationError", "None"));
    await expect(tableAt(server.baseUrl).updateTogether(updates)).rejects.toMatchObject({
      name: "TransactionCanceledException",
    });
  });
});

describe("an item that is changed", () => {
  it("is changed by something else once it is unknown whether it was changed", async () => {
    server.behave(resetting, responding(200, {}));
    const change = (UpdateExpression: string) => ({ Key: { PK: "a", SK: "b" }, UpdateExpression });
    await tableAt(server.baseUrl).update(change("first"), undefined, () => change("second"));
    expect(server.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { UpdateExpression: "first", ReturnValues: "ALL_NEW" },
      { UpdateExpression: "second", ReturnValues: "ALL_NEW" },
    ]);
  });
});
