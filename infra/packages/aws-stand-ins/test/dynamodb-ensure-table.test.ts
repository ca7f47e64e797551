import { DescribeTableCommand, DescribeTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureTable } from "../src/dynamodb/ensure-table.ts";
import {
  type DynamoDbFixture,
  getItem,
  startFixture,
  tableName,
  tableProperties,
} from "./dynamodb-fixture.ts";

let fixture: DynamoDbFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const tableOf = async (name: string) =>
  (await fixture.client.send(new DescribeTableCommand({ TableName: name }))).Table;

const timeToLiveOf = async (name: string) =>
  (await fixture.client.send(new DescribeTimeToLiveCommand({ TableName: name }))).TimeToLiveDescription;

describe("a table of a CloudFormation template", () => {
  it("is created with its keys, indexes and time to live", async () => {
    const table = await tableOf(tableName);
    expect(table).toMatchObject({
      TableStatus: "ACTIVE",
      BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
      KeySchema: tableProperties.KeySchema,
      AttributeDefinitions: tableProperties.AttributeDefinitions,
      GlobalSecondaryIndexes: [{ ...tableProperties.GlobalSecondaryIndexes[0], IndexStatus: "ACTIVE" }],
    });
    expect(await timeToLiveOf(tableName)).toEqual({
      AttributeName: "expiresAt",
      TimeToLiveStatus: "ENABLED",
    });
  });

  it("may be of the older resource type, with provisioned capacity and without time to live", async () => {
    await ensureTable(fixture.client, "plain", {
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "N" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 },
    });
    expect(await tableOf("plain")).toMatchObject({ KeySchema: [{ AttributeName: "id", KeyType: "HASH" }] });
    expect(await timeToLiveOf("plain")).toEqual({ TimeToLiveStatus: "DISABLED" });
  });

  it("is left alone when it exists", async () => {
    const item = { pk: "kept", sk: "-" };
    await fixture.documents.send(new PutCommand({ TableName: tableName, Item: item }));
    const before = await tableOf(tableName);
    await ensureTable(fixture.client, tableName, {
      ...tableProperties,
      GlobalSecondaryIndexes: [],
      TimeToLiveSpecification: { Enabled: false },
    });
    expect(await tableOf(tableName)).toEqual(before);
    expect(await timeToLiveOf(tableName)).toMatchObject({ TimeToLiveStatus: "ENABLED" });
    expect(await getItem(fixture, "kept")).toEqual(item);
  });

  it("is created once by several callers at the same time", async () => {
    const ensure = () => ensureTable(fixture.client, "shared", tableProperties);
    await Promise.all([ensure(), ensure(), ensure()]);
    expect(await tableOf("shared")).toMatchObject({ TableStatus: "ACTIVE" });
  });

  it("is refused with one sentence when its properties describe no table", async () => {
    const properties = { ...tableProperties, KeySchema: [{ AttributeName: "pk", KeyType: "PRIMARY" }] };
    await expect(ensureTable(fixture.client, "wrong", properties)).rejects.toThrow(
      /^The CloudFormation properties of table wrong cannot be used: KeySchema\.0\.KeyType: [^\n]+\.$/,
    );
  });
});
