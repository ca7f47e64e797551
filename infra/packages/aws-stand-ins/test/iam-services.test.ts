import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureTable } from "../src/dynamodb/ensure-table.ts";
import { localRegion } from "../src/iam/local-account.ts";
import { compilePolicy } from "../src/iam/policy.ts";
import { secretArn } from "../src/secrets/secret-arn.ts";
import { type StandIns, startStandIns } from "../src/stand-ins.ts";

const notes = "arn:aws:dynamodb:us-east-1:000000000000:table/notes";
const onlyKeys = (...prefixes: string[]) => ({
  "ForAllValues:StringLike": { "dynamodb:LeadingKeys": prefixes.map((prefix) => `${prefix}*`) },
  Null: { "dynamodb:LeadingKeys": "false" },
});

let directory: string;
let standIns: StandIns;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "language-ai-iam-"));
  standIns = await startStandIns({ dataDirectory: directory, enforcesPermissions: true });
  const root = new DynamoDBClient(options("dynamoDb"));
  await ensureTable(root, "notes", {
    AttributeDefinitions: ["PK", "SK", "owner"].map((name) => ({ AttributeName: name, AttributeType: "S" })),
    KeySchema: [
      { AttributeName: "PK", KeyType: "HASH" },
      { AttributeName: "SK", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: "by-owner",
        KeySchema: [{ AttributeName: "owner", KeyType: "HASH" }],
        Projection: { ProjectionType: "ALL" },
      },
    ],
    BillingMode: "PAY_PER_REQUEST",
  });
  await standIns.s3?.ensureBucket("audio", {});
  standIns.sqs?.ensureQueue("work", {});
  standIns.secrets.putSecret("keys", "value");
});
afterAll(async () => {
  await standIns.close();
  await rm(directory, { recursive: true });
});

let roles = 0;

/** The options of a client that signs as a new role with these statements; as root without any. */
const options = (service: keyof StandIns["endpoints"], ...Statement: object[]) => {
  roles += 1;
  const statements = compilePolicy({ Version: "2012-10-17", Statement });
  const key = standIns.authority?.admit({ name: `role-${roles}`, statements });
  return {
    endpoint: standIns.endpoints[service],
    region: localRegion,
    credentials: Statement.length > 0 && key ? { ...key } : standIns.credentials,
    maxAttempts: 1,
  };
};

const allow = (Action: string | string[], Resource: string, Condition: object = {}) => ({
  Effect: "Allow",
  Action,
  Resource,
  Condition,
});

const nothing = allow("x:Nothing", "x");

/** The outcome of a call: "done", or the name of the error. */
const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "done",
    (error: Error) => error.name,
  );

const item = (PK: string) => ({ PK: { S: PK }, SK: { S: "1" } });
const TableName = "notes";

describe("DynamoDB", () => {
  it("refuses in its own words, with 400", async () => {
    const client = new DynamoDBClient(options("dynamoDb", nothing));
    await expect(client.send(new PutItemCommand({ TableName, Item: item("A#1") }))).rejects.toMatchObject({
      name: "AccessDeniedException",
      message: expect.stringMatching(
        /^User: arn:aws:sts::000000000000:assumed-role\/role-\d+\/local is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:us-east-1:000000000000:table\/notes because no identity-based policy allows the dynamodb:PutItem action$/,
      ),
      $metadata: { httpStatusCode: 400 },
    });
  });

  it("refuses a key that it does not know", async () => {
    const credentials = { accessKeyId: "unknown", secretAccessKey: "x" };
    const client = new DynamoDBClient({ ...options("dynamoDb"), credentials });
    await expect(client.send(new ScanCommand({ TableName }))).rejects.toMatchObject({
      name: "UnrecognizedClientException",
    });
  });

  it.each([
    ["GetItem", (PK: string) => new GetItemCommand({ TableName, Key: item(PK) })],
    ["PutItem", (PK: string) => new PutItemCommand({ TableName, Item: item(PK) })],
    ["DeleteItem", (PK: string) => new DeleteItemCommand({ TableName, Key: item(PK) })],
    ["UpdateItem", (PK: string) => new UpdateItemCommand({ TableName, Key: item(PK) })],
    [
      "BatchGetItem",
      (PK: string) => new BatchGetItemCommand({ RequestItems: { notes: { Keys: [item(PK)] } } }),
    ],
    [
      "BatchWriteItem",
      (PK: string) =>
        new BatchWriteItemCommand({
          RequestItems: {
            notes: [{ DeleteRequest: { Key: item(PK) } }, { PutRequest: { Item: item("A#other") } }],
          },
        }),
    ],
    [
      "Query",
      (PK: string) =>
        new QueryCommand({
          TableName,
          KeyConditionExpression: "begins_with(SK, :sort) AND (#key = :key)",
          ExpressionAttributeNames: { "#key": "PK" },
          ExpressionAttributeValues: { ":key": { S: PK }, ":sort": { S: "A#" } },
        }),
    ],
    [
      "Query",
      (PK: string) =>
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :key",
          ExpressionAttributeValues: { ":key": { S: PK } },
        }),
    ],
  ])("judges %s by its action and its keys", async (action, command) => {
    const client = new DynamoDBClient(
      options("dynamoDb", allow(`dynamodb:${action}`, notes, onlyKeys("A#"))),
    );
    // One signature for all commands, which the SDK does not have.
    const send = (PK: string) => outcome(Reflect.apply(client.send, client, [command(PK)]));
    expect(await send("A#1")).toBe("done");
    expect(await send("B#1")).toBe("AccessDeniedException");
    const others = new DynamoDBClient(options("dynamoDb", nothing));
    expect(await outcome(Reflect.apply(others.send, others, [command("A#1")]))).toBe("AccessDeniedException");
  });

  it("judges a query of an index by the index and its key", async () => {
    const client = new DynamoDBClient(
      options("dynamoDb", allow("dynamodb:Query", `${notes}/index/by-owner`, onlyKeys("amina"))),
    );
    const query = (owner: string, IndexName?: string) =>
      outcome(
        client.send(
          new QueryCommand({
            TableName,
            IndexName,
            KeyConditionExpression: `${IndexName ? "#owner" : "PK"} = :key`,
            ...(IndexName && { ExpressionAttributeNames: { "#owner": "owner" } }),
            ExpressionAttributeValues: { ":key": { S: owner } },
          }),
        ),
      );
    expect(await query("amina", "by-owner")).toBe("done");
    expect(await query("okello", "by-owner")).toBe("AccessDeniedException");
    expect(await query("amina")).toBe("AccessDeniedException");
  });

  it("denies a scan and an operation without a rule where keys are required", async () => {
    const client = new DynamoDBClient(options("dynamoDb", allow("dynamodb:*", notes, onlyKeys("A#"))));
    expect(await outcome(client.send(new ScanCommand({ TableName })))).toBe("AccessDeniedException");
  });

  const writes: Record<string, TransactWriteItem> = {
    "PutItem A": { Put: { TableName, Item: item("A#put") } },
    "UpdateItem B": { Update: { TableName, Key: item("B#update"), UpdateExpression: "REMOVE x" } },
    "DeleteItem A": { Delete: { TableName, Key: item("A#delete") } },
    "ConditionCheckItem A": {
      ConditionCheck: {
        TableName,
        Key: item("A#check"),
        ConditionExpression: "attribute_not_exists(PK)",
      },
    },
  };
  const transact = (...statements: object[]) => {
    const client = new DynamoDBClient(options("dynamoDb", ...statements));
    return (...names: string[]) =>
      outcome(
        client.send(
          new TransactWriteItemsCommand({ TransactItems: names.flatMap((name) => writes[name] ?? []) }),
        ),
      );
  };

  it("needs the permission of each part of a transaction", async () => {
    const actions = ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"].map(
      (name) => `dynamodb:${name}`,
    );
    for (const missing of [undefined, ...actions]) {
      const send = transact(
        allow(
          actions.filter((action) => action !== missing),
          notes,
          onlyKeys("A#", "B#"),
        ),
      );
      expect(await send(...Object.keys(writes))).toBe(missing ? "AccessDeniedException" : "done");
    }
  });

  it("needs one statement for all keys of a transaction, because AWS may judge them together", async () => {
    const apart = transact(
      allow("dynamodb:PutItem", notes, onlyKeys("A#")),
      allow("dynamodb:UpdateItem", notes, onlyKeys("B#")),
    );
    expect(await apart("PutItem A")).toBe("done");
    expect(await apart("UpdateItem B")).toBe("done");
    expect(await apart("PutItem A", "UpdateItem B")).toBe("AccessDeniedException");
  });

  it("judges the reads of a transaction as single ones", async () => {
    const client = new DynamoDBClient(options("dynamoDb", allow("dynamodb:GetItem", notes, onlyKeys("A#"))));
    const read = (PK: string) =>
      outcome(
        client.send(new TransactGetItemsCommand({ TransactItems: [{ Get: { TableName, Key: item(PK) } }] })),
      );
    expect(await read("A#1")).toBe("done");
    expect(await read("B#1")).toBe("AccessDeniedException");
  });
});

describe("S3", () => {
  const clientOf = (...statements: object[]) =>
    new S3Client({ ...options("s3", ...statements), forcePathStyle: true });
  const speech = "arn:aws:s3:::audio/speech/*";

  it("copies an object for those who may read it and write the copy", async () => {
    const copy = new CopyObjectCommand({
      Bucket: "audio",
      Key: "jobs/copy",
      CopySource: "audio/speech/stored",
    });
    const writes = allow("s3:PutObject", "arn:aws:s3:::audio/jobs/*");
    const statusFor = (client: S3Client) =>
      client.send(copy).then(
        () => 200,
        (error: unknown) => Object(error).$metadata.httpStatusCode,
      );
    await clientOf().send(new PutObjectCommand({ ...at("speech/stored"), Body: "x" }));
    expect(await statusFor(clientOf(writes))).toBe(403);
    expect(await statusFor(clientOf(allow("s3:GetObject", speech)))).toBe(403);
    expect(await statusFor(clientOf(writes, allow("s3:GetObject", speech)))).toBe(200);
  });

  const at = (Key: string) => ({ Bucket: "audio", Key });

  it("refuses in its own words, with 403", async () => {
    await expect(clientOf(nothing).send(new PutObjectCommand(at("speech/a")))).rejects.toMatchObject({
      name: "AccessDenied",
      message: expect.stringContaining(
        "is not authorized to perform: s3:PutObject on resource: arn:aws:s3:::audio/speech/a",
      ),
      $metadata: { httpStatusCode: 403 },
    });
  });

  // A response to HEAD has no body that could name the error.
  const refused = /^(?:AccessDenied|Unknown)$/;

  it.each([
    ["s3:GetObject", () => new GetObjectCommand(at("speech/stored"))],
    ["s3:GetObject", () => new HeadObjectCommand(at("speech/stored"))],
    ["s3:PutObject", () => new PutObjectCommand({ ...at("speech/new"), Body: "x" })],
    ["s3:DeleteObject", () => new DeleteObjectCommand(at("speech/new"))],
    ["s3:PutObject", () => new CreateMultipartUploadCommand(at("speech/parts"))],
  ])("needs %s for one call, below the folder only", async (action, command) => {
    await clientOf().send(new PutObjectCommand({ ...at("speech/stored"), Body: "x" }));
    const send = (client: S3Client) => outcome(Reflect.apply(client.send, client, [command()]));
    expect(await send(clientOf(allow(action, speech)))).toBe("done");
    expect(await send(clientOf(allow(action, "arn:aws:s3:::audio/jobs/*")))).toMatch(refused);
    const others = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"].filter((other) => other !== action);
    expect(await send(clientOf(allow(others, speech)))).toMatch(refused);
  });

  it("needs permissions of their own to list and abort an upload in parts", async () => {
    const { UploadId } = await clientOf().send(new CreateMultipartUploadCommand(at("speech/parts")));
    const listing = (client: S3Client) =>
      outcome(client.send(new ListPartsCommand({ ...at("speech/parts"), UploadId })));
    const aborting = (client: S3Client) =>
      outcome(client.send(new AbortMultipartUploadCommand({ ...at("speech/parts"), UploadId })));
    const writer = clientOf(allow(["s3:PutObject", "s3:GetObject"], speech));
    expect([await listing(writer), await aborting(writer)]).toEqual(["AccessDenied", "AccessDenied"]);
    expect(await listing(clientOf(allow("s3:ListMultipartUploadParts", speech)))).toBe("done");
    expect(await aborting(clientOf(allow("s3:AbortMultipartUpload", speech)))).toBe("done");
  });

  it("judges a listing by its prefix, and shows a missing object as such only to who may list its name", async () => {
    const prefixed = { StringLike: { "s3:prefix": "speech/*" } };
    const reader = allow("s3:GetObject", "arn:aws:s3:::audio/*");
    const lister = clientOf(reader, allow("s3:ListBucket", "arn:aws:s3:::audio", prefixed));
    const list = (Prefix?: string) =>
      outcome(lister.send(new ListObjectsV2Command({ Bucket: "audio", Prefix })));
    expect(await list("speech/")).toBe("done");
    expect(await list("jobs/")).toBe("AccessDenied");
    expect(await list()).toBe("AccessDenied");
    const get = (client: S3Client, key: string) => outcome(client.send(new GetObjectCommand(at(key))));
    expect(await get(lister, "speech/missing")).toBe("NoSuchKey");
    expect(await get(lister, "jobs/missing")).toBe("AccessDenied");
    expect(await get(clientOf(reader), "speech/missing")).toBe("AccessDenied");
  });

  it("judges a presigned link as the role that signed it", async () => {
    await clientOf().send(new PutObjectCommand({ ...at("speech/linked"), Body: "x" }));
    const statusFor = async (client: S3Client) =>
      (await fetch(await getSignedUrl(client, new GetObjectCommand(at("speech/linked"))))).status;
    expect(await statusFor(clientOf(allow("s3:GetObject", speech)))).toBe(200);
    expect(await statusFor(clientOf(allow("s3:PutObject", speech)))).toBe(403);
  });
});

describe("SQS", () => {
  const work = "arn:aws:sqs:us-east-1:000000000000:work";
  const call = { MessageBody: "x" };
  const url = () => standIns.sqs?.queueUrl("work") ?? "";

  it("refuses in its own words, with 403", async () => {
    const client = new SQSClient(options("sqs", nothing));
    await expect(client.send(new SendMessageCommand({ QueueUrl: url(), ...call }))).rejects.toMatchObject({
      message: expect.stringContaining(`is not authorized to perform: sqs:sendmessage on resource: ${work}`),
      $metadata: { httpStatusCode: 403 },
    });
  });

  it("judges each call, and a batch as its single call", async () => {
    const client = new SQSClient(options("sqs", allow("sqs:SendMessage", work)));
    const QueueUrl = url();
    expect(await outcome(client.send(new SendMessageCommand({ QueueUrl, ...call })))).toBe("done");
    const Entries = [{ Id: "1", ...call }];
    expect(await outcome(client.send(new SendMessageBatchCommand({ QueueUrl, Entries })))).toBe("done");
    expect(await outcome(client.send(new ReceiveMessageCommand({ QueueUrl })))).toMatch(/^AccessDenied/);
    expect(await outcome(client.send(new GetQueueAttributesCommand({ QueueUrl })))).toMatch(/^AccessDenied/);
  });
});

describe("SES", () => {
  const mail = {
    FromEmailAddress: "Amina <amina@example.com>",
    Destination: { ToAddresses: ["okello@example.com"] },
    Content: { Simple: { Subject: { Data: "s" }, Body: { Text: { Data: "t" } } } },
  };
  const anySender = "arn:aws:ses:us-east-1:000000000000:identity/*";
  const own = { StringEquals: { "ses:FromAddress": "amina@example.com" } };
  const send = (input: object, ...statements: object[]) =>
    new SESv2Client(options("ses", ...statements)).send(new SendEmailCommand({ ...mail, ...input }));

  it("refuses in its own words, with 403", async () => {
    await expect(send({}, nothing)).rejects.toMatchObject({
      name: "AccessDeniedException",
      message: expect.stringContaining(
        "is not authorized to perform `ses:SendEmail' on resource `arn:aws:ses:us-east-1:000000000000:identity/amina@example.com'",
      ),
      $metadata: { httpStatusCode: 403 },
    });
  });

  it("judges a mail by its sender, its form and its configuration set", async () => {
    const simple = allow("ses:SendEmail", anySender, own);
    expect(await outcome(send({}, simple))).toBe("done");
    expect(await outcome(send({ FromEmailAddress: "okello@example.com" }, simple))).toBe(
      "AccessDeniedException",
    );
    expect(await outcome(send({ ConfigurationSetName: "mails" }, simple))).toBe("AccessDeniedException");
    const Raw = { Data: Buffer.from("From: amina@example.com\r\nTo: b@example.com\r\n\r\nx") };
    expect(await outcome(send({ Content: { Raw } }, simple))).toBe("AccessDeniedException");
    const both = allow(["ses:SendEmail", "ses:SendRawEmail"], "arn:aws:ses:*", own);
    expect(await outcome(send({ Content: { Raw }, ConfigurationSetName: "mails" }, both))).toBe("done");
  });
});

describe("Secrets Manager", () => {
  const read = (...statements: object[]) =>
    new SecretsManagerClient(options("secrets", ...statements)).send(
      new GetSecretValueCommand({ SecretId: "keys" }),
    );

  it("refuses in its own words, and judges by the ARN", async () => {
    await expect(read(nothing)).rejects.toMatchObject({
      name: "AccessDeniedException",
      message: expect.stringContaining(
        `is not authorized to perform: secretsmanager:GetSecretValue on resource: ${secretArn("keys")}`,
      ),
    });
    expect(await outcome(read(allow("secretsmanager:GetSecretValue", secretArn("keys"))))).toBe("done");
    expect(await outcome(read(allow("secretsmanager:GetSecretValue", secretArn("other"))))).toBe(
      "AccessDeniedException",
    );
  });
});
