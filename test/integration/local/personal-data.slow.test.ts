import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import { localCredentials, localRegion } from "@language-ai/aws-stand-ins";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findRunningService } from "../../../infra/local/running-service.ts";
import { messagingKeys } from "../../../shared/messaging/keys.ts";
import { type OwnService, startOwnService } from "../../support/own-service.ts";
import { runHere } from "../../support/run-here.ts";

let service: OwnService;
let values: Readonly<Record<string, string>>;
let variables: Readonly<Record<string, string>>;
let table: DynamoDBDocumentClient;

/** The commands of the page, in their order. */
let commands: readonly string[];

beforeAll(async () => {
  const page = await readFile("infra/handbook/personal-data.md", "utf8");
  commands = [...page.matchAll(/^ +npm run account -- (.+)$/gm)].map(([, line = ""]) => line);
  service = await startOwnService();
  const running = await findRunningService(service.folder);
  if (!running?.bucketName) throw new Error("The service has no bucket.");
  values = { TableName: running.tableName, AudioBucketName: running.bucketName };
  variables = running.sdkVariables;
  table = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      endpoint: variables["AWS_ENDPOINT_URL_DYNAMODB"] ?? "",
      region: localRegion,
      credentials: localCredentials,
    }),
  );
});
afterAll(async () => {
  table.destroy();
  await service.close();
});

const administrator = {
  AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
};

/** Runs the command of the page that has an option, on the stage as if it were deployed: with table, bucket and credentials. */
const runCommand = async (
  option: string,
  given: Readonly<Record<string, string>> = {},
  credentials: Readonly<Record<string, string>> = {},
) => {
  const line = commands.find((each) => each.includes(option)) ?? "";
  const args = line
    .split(" ")
    .map((word) => word.replace(/^<(\w+)>$/, (_, name: string) => ({ ...values, ...given })[name] ?? name));
  // Nowhere near the service's own folder, so that nothing but the options leads to it.
  const environment = { ...variables, ...credentials, DATA_DIR: "/nonexistent" };
  const { code, output } = await runHere("infra/commands/account.ts", args, environment);
  expect(code, output).toBe(0);
  return JSON.parse(output);
};

const allItems = async () => {
  const items: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName: values["TableName"] })) {
    items.push(...Items);
  }
  return items;
};

describe("The commands of the page about personal data", () => {
  it("show, delete and forget, and what they deleted stays deleted after a restore", async () => {
    expect(commands).toHaveLength(4);
    const account = await service.client.createAccount();
    const { username } = account;
    const number = `2567${randomInt(10_000_000, 99_999_999)}`;
    await table.send(
      new PutCommand({
        TableName: values["TableName"],
        Item: { ...messagingKeys.conversation(number), settings: {}, expires_at: 4_000_000_000 },
      }),
    );
    expect(await runCommand("--show", { username })).toMatchObject({ username, disabled: false });
    const backup = (await allItems()).filter(
      ({ PK }) => !/^(?:AUDIT|COUNTER|LIMIT|STATUS)#/.test(String(PK)),
    );

    expect(await runCommand("--delete", { username })).toEqual({ username, deleted: true });
    expect(await runCommand("--forget-sender", { number })).toMatchObject({ sender: number });
    expect(await runCommand("--erase-again", {}, administrator)).toEqual({
      erased_accounts: 0,
      forgotten_senders: 0,
    });

    for (const Item of backup) await table.send(new PutCommand({ TableName: values["TableName"], Item }));
    expect((await service.client.logIn(username, account.password)).status).toBe(200);
    expect(await runCommand("--erase-again", {}, administrator)).toEqual({
      erased_accounts: 1,
      forgotten_senders: 1,
    });
    expect((await service.client.logIn(username, account.password)).status).toBe(401);
    expect(JSON.stringify(await allItems())).not.toContain(number);
  });
});
