import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type DynamoDbFixture, startFixture, tableName } from "./dynamodb-fixture.ts";

type TransactItems = NonNullable<TransactWriteCommandInput["TransactItems"]>;
type Options = Omit<TransactWriteCommandInput, "TransactItems">;

const TableName = tableName;
const ifNew = { ConditionExpression: "attribute_not_exists(pk)" };
const keyOf = (pk: string) => ({ pk, sk: "-" });

let fixture: DynamoDbFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const transact = (items: TransactItems, options: Options = {}) =>
  fixture.documents.send(new TransactWriteCommand({ TransactItems: items, ...options }));

const put = (pk: string, attributes = {}, options = {}) => ({
  Put: { TableName, Item: { ...keyOf(pk), ...attributes }, ...options },
});

const get = async (pk: string) =>
  (await fixture.documents.send(new GetCommand({ TableName, Key: keyOf(pk) }))).Item;

const byEmail = async (email: string) => {
  const { Count } = await fixture.documents.send(
    new QueryCommand({
      TableName,
      IndexName: "by-email",
      KeyConditionExpression: "email = :email",
      ExpressionAttributeValues: { ":email": email },
    }),
  );
  return Count;
};

const cancellationOf = async (transaction: Promise<unknown>): Promise<TransactionCanceledException> => {
  const error = await transaction.catch((reason: unknown) => reason);
  if (error instanceof TransactionCanceledException) return error;
  throw new Error("The transaction was not cancelled.", { cause: error });
};

describe("a transaction", () => {
  it("makes all its writes, in the table and in the indexes", async () => {
    await transact([put("balance", { amount: 10 }), put("leaver", { email: "leaver@x", createdAt: 1 })]);
    await transact([
      put("joiner", { email: "joiner@x", createdAt: 2 }, ifNew),
      {
        Update: {
          TableName,
          Key: keyOf("balance"),
          UpdateExpression: "SET amount = amount - :three",
          ConditionExpression: "amount >= :three",
          ExpressionAttributeValues: { ":three": 3 },
        },
      },
      { Delete: { TableName, Key: keyOf("leaver") } },
    ]);
    expect(await get("balance")).toMatchObject({ amount: 7 });
    expect(await get("leaver")).toBeUndefined();
    expect([await byEmail("joiner@x"), await byEmail("leaver@x")]).toEqual([1, 0]);
  });

  it("makes none of its writes when one condition fails, and says which", async () => {
    await transact([put("known", { owner: "first" })]);
    const cancellation = await cancellationOf(
      transact([
        put("unwanted", { email: "unwanted@x", createdAt: 1 }),
        put("known", { owner: "second" }, { ...ifNew, ReturnValuesOnConditionCheckFailure: "ALL_OLD" }),
        {
          ConditionCheck: { TableName, Key: keyOf("absent"), ConditionExpression: "attribute_exists(pk)" },
        },
      ]),
    );
    expect(cancellation.message).toBe(
      "Transaction cancelled, please refer cancellation reasons for specific reasons " +
        "[None, ConditionalCheckFailed, ConditionalCheckFailed]",
    );
    expect(cancellation.CancellationReasons).toEqual([
      { Code: "None" },
      {
        Code: "ConditionalCheckFailed",
        Message: "The conditional request failed",
        Item: { pk: { S: "known" }, sk: { S: "-" }, owner: { S: "first" } },
      },
      { Code: "ConditionalCheckFailed", Message: "The conditional request failed" },
    ]);
    expect(await get("known")).toMatchObject({ owner: "first" });
    expect([await get("unwanted"), await byEmail("unwanted@x")]).toEqual([undefined, 0]);
  });

  it("leaves an item alone that it only checks", async () => {
    await transact([put("checked", { note: "stays" })]);
    await transact([
      { ConditionCheck: { TableName, Key: keyOf("checked"), ConditionExpression: "attribute_exists(note)" } },
      put("beside the checked"),
    ]);
    expect(await get("checked")).toMatchObject({ note: "stays" });
    expect(await get("beside the checked")).toBeDefined();
  });

  it("is cancelled by a value that the stored data does not allow", async () => {
    await transact([put("word", { text: "three" })]);
    const cancellation = await cancellationOf(
      transact([
        put("never stored"),
        {
          Update: {
            TableName,
            Key: keyOf("word"),
            UpdateExpression: "ADD #text :one",
            ExpressionAttributeNames: { "#text": "text" },
            ExpressionAttributeValues: { ":one": 1 },
          },
        },
      ]),
    );
    expect(cancellation.CancellationReasons?.map(({ Code }) => Code)).toEqual(["None", "ValidationError"]);
    expect(await get("never stored")).toBeUndefined();
  });

  it("takes a hundred writes and no more", async () => {
    const puts = Array.from({ length: 101 }, (_, number) => put(`hundred#${number}`));
    await transact(puts.slice(0, 100));
    expect(await get("hundred#99")).toBeDefined();
    await expect(transact(puts)).rejects.toMatchObject({
      name: "ValidationException",
      message: expect.stringContaining("Member must have length less than or equal to 100"),
    });
    await expect(transact([])).rejects.toMatchObject({ name: "ValidationException" });
  });

  it.each([
    ["two writes of one item", [put("twice"), { Delete: { TableName, Key: keyOf("twice") } }]],
    ["two writes in one element", [{ ...put("both"), Delete: { TableName, Key: keyOf("other") } }]],
    ["an element without a write", [{}]],
    ["an empty key", [put("")]],
    ["an empty index key", [put("no email", { email: "", createdAt: 1 })]],
    ["an unknown function", [put("x", {}, { ConditionExpression: "is_new(pk)" })]],
  ] satisfies [string, TransactItems][])("is refused as a whole for %s", async (_, items) => {
    await expect(transact(items)).rejects.toMatchObject({ name: "ValidationException" });
  });

  it("is refused as a whole for an unknown table", async () => {
    const elsewhere = { Put: { TableName: "nowhere", Item: keyOf("x") } };
    await expect(transact([elsewhere])).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  });

  it("costs twice what its writes cost alone", async () => {
    const { ConsumedCapacity } = await transact([put("cost#1"), put("cost#2")], {
      ReturnConsumedCapacity: "TOTAL",
    });
    expect(ConsumedCapacity).toEqual([{ TableName, CapacityUnits: 4 }]);
  });
});

describe("a request token", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("makes a repeated transaction succeed without doing it again", async () => {
    const once = () => transact([put("paid", {}, ifNew)], { ClientRequestToken: "payment-1" });
    await once();
    await expect(once()).resolves.toBeDefined();
    await expect(transact([put("paid", {}, ifNew)])).rejects.toThrow(TransactionCanceledException);
  });

  it("has no meaning after ten minutes", async () => {
    const attempt = () => transact([put("rented", {}, ifNew)], { ClientRequestToken: "rent-1" });
    await attempt();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_001 });
    await expect(attempt()).rejects.toThrow(TransactionCanceledException);
  });

  it("is refused with another transaction", async () => {
    await transact([put("first use")], { ClientRequestToken: "payment-2" });
    const again = transact([put("second use")], { ClientRequestToken: "payment-2" });
    await expect(again).rejects.toMatchObject({ name: "IdempotentParameterMismatchException" });
    expect(await get("second use")).toBeUndefined();
  });

  it("is free again when its transaction was cancelled", async () => {
    const attempt = (condition: object) =>
      transact([put("later", {}, condition)], { ClientRequestToken: "payment-3" });
    await expect(attempt({ ConditionExpression: "attribute_exists(pk)" })).rejects.toMatchObject({
      name: "TransactionCanceledException",
    });
    await expect(attempt({})).resolves.toBeDefined();
  });
});

describe("transactions at the same time", () => {
  it("on the same item have one winner, and only the winner writes the rest", async () => {
    const attempts = Array.from({ length: 40 }, (_, number) =>
      transact([
        put("prize", { number }, ifNew),
        put(`entry#${number}`, { email: "entry@x", createdAt: number }),
      ]),
    );
    const outcomes = await Promise.allSettled(attempts);
    const winners = outcomes.flatMap(({ status }, number) => (status === "fulfilled" ? [number] : []));
    expect(winners).toHaveLength(1);
    expect(await get("prize")).toMatchObject({ number: winners[0] });
    expect(await byEmail("entry@x")).toBe(1);
  });

  it("rotate a token once when two clients try", async () => {
    await transact([put("token#old")]);
    const rotate = (next: string) =>
      transact([
        { Delete: { TableName, Key: keyOf("token#old"), ConditionExpression: "attribute_exists(pk)" } },
        put(next),
      ]);
    const outcomes = await Promise.allSettled([rotate("token#a"), rotate("token#b")]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect([await get("token#a"), await get("token#b")].filter(Boolean)).toHaveLength(1);
  });

  it("do not lose steps of single updates between them", async () => {
    const update = {
      TableName,
      Key: keyOf("mixed"),
      UpdateExpression: "ADD steps :one",
      ExpressionAttributeValues: { ":one": 1 },
    };
    const step = (number: number) =>
      number % 2 ? transact([{ Update: update }]) : fixture.documents.send(new UpdateCommand(update));
    await Promise.all(Array.from({ length: 60 }, (_, number) => step(number)));
    expect(await get("mixed")).toMatchObject({ steps: 60 });
  });
});

describe("a transactional read", () => {
  const read = async (...names: string[]) => {
    const TransactItems = names.map((pk) => ({ Get: { TableName, Key: keyOf(pk) } }));
    return (await fixture.documents.send(new TransactGetCommand({ TransactItems }))).Responses;
  };

  it("returns the items in the requested order, with gaps for missing ones", async () => {
    await transact([put("left"), put("right")]);
    expect(await read("right", "nowhere", "left")).toEqual([
      { Item: keyOf("right") },
      {},
      { Item: keyOf("left") },
    ]);
  });

  it("never sees half a transaction", async () => {
    const writes = Array.from(
      { length: 20 },
      (_, round) => () => transact([put("half#1", { round }), put("half#2", { round })]),
    );
    await writes[0]?.();
    const work = writes.flatMap((write) => [write(), read("half#1", "half#2")]);
    const pairs = (await Promise.all(work)).flatMap((result) => (Array.isArray(result) ? [result] : []));
    expect(pairs).toHaveLength(20);
    for (const [first, second] of pairs) {
      expect(first?.Item?.["round"]).toEqual(expect.any(Number));
      expect(second?.Item?.["round"]).toBe(first?.Item?.["round"]);
    }
  });

  it("does not take the same item twice", async () => {
    await expect(read("left", "left")).rejects.toMatchObject({ name: "ValidationException" });
  });
});

describe("a single write", () => {
  it("in the middle of transactions waits for its turn", async () => {
    const single = new PutCommand({ TableName, Item: { ...keyOf("turn"), from: "single" }, ...ifNew });
    const outcomes = await Promise.allSettled([
      transact([put("turn", { from: "transaction" }, ifNew), put("turn#log")]),
      fixture.documents.send(single),
    ]);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});
