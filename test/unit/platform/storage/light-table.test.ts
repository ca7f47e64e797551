import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAwsConfig } from "../../../../shared/platform/config/environment.ts";
import { openLightTable } from "../../../../shared/platform/storage/light-table.ts";
import { exists, isNew } from "../../../../shared/platform/storage/table.ts";
import { type FakeBackend, resetting, responding, startFakeBackend } from "../../../support/fake-backend.ts";

let server: FakeBackend;
beforeAll(async () => {
  server = await startFakeBackend();
});
afterAll(() => server.close());

const tableAt = (address: string) =>
  openLightTable("language-ai", readAwsConfig({ AWS_ENDPOINT_URL: address }));

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

describe("a transaction", () => {
  const writes = [
    {
      update: {
        Key: { PK: "a", SK: "b" },
        UpdateExpression: "REMOVE #a",
        ConditionExpression: "#a = :a",
        ExpressionAttributeNames: { "#a": "count" },
        ExpressionAttributeValues: { ":a": 3 },
      },
    },
    { put: { PK: "c", SK: "d", Item: 1 }, condition: isNew },
    { delete: { PK: "e", SK: "f" } },
    { check: { PK: "g", SK: "h" }, condition: exists },
  ];
  const sent = () => server.received.map(({ body }) => JSON.parse(body));

  it("is the same one, however often it is sent", async () => {
    server.behave(resetting, responding(200, {}));
    expect(await tableAt(server.baseUrl).transact(writes)).toEqual({ applied: true, failures: [] });
    const [first, second, ...others] = sent();
    expect(others).toEqual([]);
    expect(second).toEqual(first);
    const common = { TableName: "language-ai", ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
    expect(first).toEqual({
      ClientRequestToken: expect.stringMatching(/^[0-9a-f-]{36}$/),
      TransactItems: [
        {
          Update: {
            ...common,
            Key: { PK: { S: "a" }, SK: { S: "b" } },
            UpdateExpression: "REMOVE #a",
            ConditionExpression: "#a = :a",
            ExpressionAttributeNames: { "#a": "count" },
            ExpressionAttributeValues: { ":a": { N: "3" } },
          },
        },
        {
          Put: {
            ...common,
            Item: { PK: { S: "c" }, SK: { S: "d" }, Item: { N: "1" } },
            ConditionExpression: "attribute_not_exists(PK)",
          },
        },
        { Delete: { ...common, Key: { PK: { S: "e" }, SK: { S: "f" } } } },
        {
          ConditionCheck: {
            ...common,
            Key: { PK: { S: "g" }, SK: { S: "h" } },
            ConditionExpression: "attribute_exists(PK)",
          },
        },
      ],
    });
    await tableAt(server.baseUrl).transact(writes);
    expect(sent().at(-1).ClientRequestToken).not.toBe(first.ClientRequestToken);
  });

  const cancelled = (...reasons: object[]) =>
    responding(400, {
      __type: "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
      Message: "Transaction cancelled",
      CancellationReasons: reasons,
    });
  const conflict = cancelled({ Code: "TransactionConflict" }, { Code: "None" });

  it("returns which conditions failed, with their items, and is not sent again", async () => {
    server.behave(
      cancelled(
        { Code: "None" },
        { Code: "ConditionalCheckFailed", Item: { PK: { S: "c" }, n: { N: "1" } } },
      ),
    );
    expect(await tableAt(server.baseUrl).transact(writes)).toEqual({
      applied: false,
      failures: [undefined, { reason: "condition", item: { PK: "c", n: 1 } }],
    });
    expect(server.received).toHaveLength(1);
  });

  it("is sent again when it conflicts with another write", async () => {
    server.behave(conflict, conflict, responding(200, {}));
    expect(await tableAt(server.baseUrl).transact(writes)).toMatchObject({ applied: true });
    expect(server.received).toHaveLength(3);
  });

  it("throws a conflict that lasts", async () => {
    server.behave(conflict);
    await expect(tableAt(server.baseUrl).transact(writes)).rejects.toMatchObject({
      name: "TransactionCanceledException",
    });
    expect(server.received).toHaveLength(5);
  });

  it("returns a conflict at once when asked to", async () => {
    server.behave(conflict);
    expect(await tableAt(server.baseUrl).transact(writes, { reportsConflicts: true })).toEqual({
      applied: false,
      failures: [{ reason: "conflict", item: undefined }, undefined],
    });
    expect(server.received).toHaveLength(1);
  });

  it("throws when it is invalid", async () => {
    server.behave(cancelled({ Code: "ValidationError" }, { Code: "None" }));
    await expect(tableAt(server.baseUrl).transact(writes)).rejects.toMatchObject({
      name: "TransactionCanceledException",
    });
  });
});
