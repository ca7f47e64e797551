import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { exists, isNew, type Table } from "../../shared/platform/storage/table.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

let server: TestTable;
beforeAll(async () => {
  server = await startTestTable();
});
afterAll(() => server.close());

let partitions = 0;
let PK: string;
beforeEach(() => {
  partitions += 1;
  PK = `PARTITION#${partitions}`;
});

const adapters = {
  "through the SDK": () => server.open(server.openClient()),
  "without the SDK": () => server.openForRequests(),
} satisfies Record<string, () => Table>;

describe.each(Object.entries(adapters))("The table %s", (_name, open) => {
  it("reads an item as it was written, and nothing when there is none", async () => {
    const item = { PK, SK: "a", words: ["Nkulamusizza"], tags: new Set(["x"]), deep: { n: 1, ok: true } };
    await open().put({ ...item, absent: undefined });
    expect(await open().read({ Key: { PK, SK: "a" } })).toEqual(item);
    expect(await open().read({ Key: { PK, SK: "b" } })).toBeUndefined();
  });

  it("returns the item after an update, or the one that did not meet the condition", async () => {
    const add = (limit: number) =>
      open().update({
        Key: { PK, SK: "a" },
        UpdateExpression: "ADD n :one",
        ConditionExpression: "attribute_not_exists(n) OR n < :limit",
        ExpressionAttributeValues: { ":one": 1, ":limit": limit },
      });
    expect(await add(2)).toEqual({ applied: true, item: { PK, SK: "a", n: 1 } });
    expect(await add(1)).toEqual({ applied: false, item: { PK, SK: "a", n: 1 } });
    const missing = { Key: { PK, SK: "b" }, UpdateExpression: "SET n = :n", ...exists };
    expect(await open().update({ ...missing, ExpressionAttributeValues: { ":n": 1 } })).toEqual({
      applied: false,
      item: {},
    });
  });

  it("writes and deletes on a condition", async () => {
    expect(await open().putIf({ PK, SK: "a", n: 1 }, isNew)).toMatchObject({ applied: true });
    expect(await open().putIf({ PK, SK: "a", n: 2 }, isNew)).toEqual({
      applied: false,
      item: { PK, SK: "a", n: 1 },
    });
    const isTwo = { ConditionExpression: "n = :two", ExpressionAttributeValues: { ":two": 2 } };
    expect(await open().deleteIf({ PK, SK: "a" }, isTwo)).toEqual({
      applied: false,
      item: { PK, SK: "a", n: 1 },
    });
    await open().put({ PK, SK: "a", n: 2 });
    expect(await open().deleteIf({ PK, SK: "a" }, isTwo)).toMatchObject({ applied: true });
    await open().delete({ PK, SK: "a" });
    expect(await open().read({ Key: { PK, SK: "a" } })).toBeUndefined();
  });

  it("applies all writes of a transaction, or none and says which conditions failed", async () => {
    await open().put({ PK, SK: "old", n: 1 });
    const writes = [
      { put: { PK, SK: "new" }, condition: isNew },
      { delete: { PK, SK: "old" }, condition: exists },
      { check: { PK, SK: "absent" }, condition: isNew },
      {
        update: {
          Key: { PK, SK: "count" },
          UpdateExpression: "ADD n :one",
          ExpressionAttributeValues: { ":one": 1 },
        },
      },
    ];
    expect(await open().transact(writes)).toEqual({ applied: true, failures: [] });
    expect(await open().transact(writes)).toEqual({
      applied: false,
      failures: [
        { reason: "condition", item: { PK, SK: "new" } },
        { reason: "condition", item: undefined },
        undefined,
        undefined,
      ],
    });
    expect(await open().query({ partition: PK })).toEqual([
      { PK, SK: "count", n: 1 },
      { PK, SK: "new" },
    ]);
  });

  it("finds items by their sort keys, page by page, and deletes them", async () => {
    const text = "x".repeat(100_000);
    const keys = Array.from({ length: 30 }, (_, index) => ({ PK, SK: `ITEM#${index + 10}` }));
    for (const key of keys) await open().put({ ...key, text, even: Number(key.SK.slice(5)) % 2 === 0 });
    await open().put({ PK, SK: "OTHER" });
    const find = async (query: Omit<Parameters<Table["query"]>[0], "partition">) =>
      (await open().query({ partition: PK, ...query })).map(({ SK }) => SK);
    const names = keys.map(({ SK }) => SK);
    expect(await find({})).toEqual([...names, "OTHER"]);
    expect(await find({ beginsWith: "ITEM#" })).toEqual(names);
    expect(await find({ between: ["ITEM#12", "ITEM#14"] })).toEqual(["ITEM#12", "ITEM#13", "ITEM#14"]);
    const even = { FilterExpression: "even = :yes", ExpressionAttributeValues: { ":yes": true } };
    expect(await find({ beginsWith: "ITEM#", filter: even, descending: true, limit: 3 })).toEqual([
      "ITEM#38",
      "ITEM#36",
      "ITEM#34",
    ]);
    expect(await find({ limit: 2, after: { PK, SK: "ITEM#20" } })).toEqual(["ITEM#21", "ITEM#22"]);
    expect(await open().query({ partition: PK, attributes: ["SK"], beginsWith: "OTHER" })).toEqual([
      { SK: "OTHER" },
    ]);
    await open().deleteAll([...keys, { PK, SK: "ABSENT" }]);
    expect(await find({})).toEqual(["OTHER"]);
  });
});
