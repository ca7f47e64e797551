import { randomUUID } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { ListQueuesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { localCredentials, localRegion } from "@language-ai/aws-stand-ins";
import { inject } from "vitest";
import { findRunningService } from "../../infra/local/running-service.ts";
import { openTable } from "../../infra/sdk-table.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { limitKeys } from "../../shared/accounts/limits/keys.ts";
import { usageCounter } from "../../shared/accounts/limits/usage-counters.ts";
import { windowsAt } from "../../shared/accounts/limits/windows.ts";
import { idempotencyKeys } from "../../shared/http/idempotency/keys.ts";
import {
  jobsFolderOf,
  responsesFolderOf,
  speechFolderOf,
  transcriptionsFolder,
  uploadsFolder,
} from "../../shared/platform/storage/object-store.ts";
import type { ItemKey } from "../../shared/platform/storage/table.ts";
import { callbackKeys } from "../../shared/recordings/callbacks/keys.ts";
import type { JobMessage } from "../../shared/recordings/jobs/job-queue.ts";
import { jobKeys } from "../../shared/recordings/jobs/keys.ts";
import { transcriptionKeys } from "../../shared/recordings/saved-transcriptions/keys.ts";
import { uploadKeys } from "../../shared/recordings/uploads/keys.ts";

/** The table and the bucket of the local service under test, with the credentials that may do everything. */
export const openStoredData = async () => {
  const running = await findRunningService(inject("dataDirectory"));
  if (!running) throw new Error("The service under test does not run on this machine.");
  const { sdkVariables, tableName, bucketName: Bucket } = running;
  const connection = (service: string) => ({
    endpoint: sdkVariables[`AWS_ENDPOINT_URL_${service}`] ?? "",
    region: localRegion,
    credentials: localCredentials,
  });
  const s3 = new S3Client({ ...connection("S3"), forcePathStyle: true });
  const enqueue = async (QueueNamePrefix: string, message: object): Promise<void> => {
    const sqs = new SQSClient(connection("SQS"));
    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix }));
    if (!QueueUrls[0]) throw new Error(`There is no queue called ${QueueNamePrefix}.`);
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: QueueUrls[0],
        MessageBody: JSON.stringify(message),
        MessageGroupId: "stored-data",
        MessageDeduplicationId: randomUUID(),
      }),
    );
  };
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(connection("DYNAMODB")));
  const itemsWith = async (text: string): Promise<string[]> => {
    const found: string[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const page = await documents.send(
        new ScanCommand({ TableName: tableName, ...(start ? { ExclusiveStartKey: start } : {}) }),
      );
      found.push(...(page.Items ?? []).map((item) => JSON.stringify(item)));
      start = page.LastEvaluatedKey;
    } while (start);
    return found.filter((item) => item.includes(text));
  };
  const objectsWith = async (text: string): Promise<string[]> => {
    const found: string[] = [];
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    for (const { Key = "" } of Contents) {
      const object = await s3.send(new GetObjectCommand({ Bucket, Key })).catch(() => undefined);
      const body = (await object?.Body?.transformToString("latin1")) ?? "";
      if (`${Key} ${body}`.includes(text)) found.push(Key);
    }
    return found;
  };
  return {
    table: openTable(tableName, documents),
    /** Every item of the table and every object of the bucket that contains a text. */
    findEverywhere: async (text: string): Promise<string[]> => [
      ...(await itemsWith(text)),
      ...(await objectsWith(text)),
    ],
    putObject: async (Key: string, Body: string | Buffer = "x"): Promise<void> => {
      await s3.send(new PutObjectCommand({ Bucket, Key, Body }));
    },
    deleteObject: async (Key: string): Promise<void> => {
      await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    },
    abortUpload: async (Key: string, UploadId: string): Promise<void> => {
      await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    },
    /** Enqueues a message for the worker of jobs. */
    enqueueJob: (message: JobMessage): Promise<void> => enqueue("jobsqueue", message),
    /** Enqueues a message that the worker of mails has given up. */
    giveUpMail: (message: object): Promise<void> => enqueue("maildeadletters", message),
    hasObject: (Key: string): Promise<boolean> =>
      s3.send(new HeadObjectCommand({ Bucket, Key })).then(
        () => true,
        () => false,
      ),
  };
};

export type StoredData = Awaited<ReturnType<typeof openStoredData>>;

const yesterday = windowsAt(Date.now()).day - 1;

/** More than an access item may have, so that they are moved at the next request. */
const manyCounters = 130;

/** Lets an account have counters of usage that have to be moved to items of their days. */
export const addOldUsage = async ({ table }: StoredData, userId: number): Promise<void> => {
  const names = Array.from({ length: manyCounters }, (_, index) =>
    usageCounter({ day: yesterday, operationId: `operation${index}`, keyId: undefined }, "requests"),
  );
  await table.update({
    Key: accountKeys.access(userId),
    UpdateExpression: `SET ${names.map((_, index) => `#n${index} = :one`).join(", ")}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#n${index}`, name])),
    ExpressionAttributeValues: { ":one": 1 },
  });
};

/** Whether usage of the account was moved to the item of yesterday. */
export const hasMovedUsage = async ({ table }: StoredData, userId: number): Promise<boolean> => {
  const date = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  return (await table.read({ Key: limitKeys.usage(date, userId) })) !== undefined;
};

/** Stores an account as older versions did: with its access in the profile. */
export const makeOlder = async (
  { table }: StoredData,
  userId: number,
  changes: object = {},
): Promise<void> => {
  const { revoked: _revoked, ...access } = (await table.read({ Key: accountKeys.access(userId) })) ?? {};
  const profile = await table.read({ Key: accountKeys.profile(userId) });
  await table.put({ ...access, ...profile, ...changes });
  await table.delete(accountKeys.access(userId));
};

/** Stores something of every kind that belongs to an account. @returns where all of it is. */
export const storeEverything = async ({ table, putObject }: StoredData, userId: number) => {
  const [digest, name, now] = [`digest-${userId}`, `seed-${userId}`, new Date().toISOString()];
  const upload = uploadKeys.upload(name);
  const transcription = transcriptionKeys.transcription(1_000_000 + userId);
  const objects = [`${uploadsFolder}${name}`, `${transcriptionsFolder}${name}`];
  const keys: ItemKey[] = [
    idempotencyKeys.request(userId, "operation", "key"),
    jobKeys.job({ userId, jobId: name }),
    callbackKeys.deliveries(userId, name),
    limitKeys.confirmations(userId),
    accountKeys.ownIdentity(userId, digest),
    accountKeys.identity(digest),
    accountKeys.apiKey(userId, name),
    upload,
    transcription,
  ];
  const identity = { issuer: "https://idp.example.com", token_epoch: 0 };
  const shown = { name, prefix: name, created_at: now, joined_at: now, user_id: userId, ...identity };
  for (const key of keys) await table.put({ ...key, ...shown });
  const owned = accountKeys.owned(userId, upload.PK);
  await table.put({ ...owned, items: [upload, transcription], objects });
  const folders = [speechFolderOf(userId, new Date()), responsesFolderOf(userId), jobsFolderOf(userId)];
  const all = [...objects, ...folders.map((folder) => `${folder}${name}`)];
  for (const key of all) await putObject(key);
  return { keys: [...keys, owned, accountKeys.profile(userId), accountKeys.access(userId)], objects: all };
};

/** What remains of what was stored. */
export const remainsOf = async (
  { table, hasObject }: StoredData,
  { keys, objects }: Awaited<ReturnType<typeof storeEverything>>,
): Promise<string[]> => {
  const items = await Promise.all(keys.map(async (Key) => ((await table.read({ Key })) ? [Key.PK] : [])));
  const files = await Promise.all(objects.map(async (key) => ((await hasObject(key)) ? [key] : [])));
  return [...items, ...files].flat();
};
