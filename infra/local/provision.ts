import { randomBytes } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand, S3Client, S3ServiceException } from "@aws-sdk/client-s3";
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { ensureTable, LOCAL_REGION, type LocalModel, type LocalResource } from "@language-ai/aws-stand-ins";
import { type EmbeddedServices, localCredentials } from "./embedded-services.ts";
import type { LocalSettings } from "./settings.ts";

const provisionSecret = (
  { logicalId, name, properties }: LocalResource,
  { secrets }: EmbeddedServices,
  { inferenceKeys, platformSecrets }: LocalSettings,
): void => {
  if (logicalId.startsWith("InferenceKeys")) secrets.putSecret(name, JSON.stringify(inferenceKeys));
  else if (logicalId.startsWith("MessagingSecrets")) {
    secrets.putSecret(name, JSON.stringify(platformSecrets));
  } else if ("GenerateSecretString" in properties) {
    secrets.ensureSecret(name, () => randomBytes(48).toString("base64url"));
  } else throw new Error(`Nothing is known of the value of the secret ${logicalId}.`);
};

/** Dead-letter queues come first: the others name them. */
const deadLettersFirst = (queues: readonly LocalResource[]): LocalResource[] =>
  queues.toSorted(
    (one, other) => Number("RedrivePolicy" in one.properties) - Number("RedrivePolicy" in other.properties),
  );

const provisionQueues = async (queues: readonly LocalResource[], { sqs, endpoints }: EmbeddedServices) => {
  if (sqs) {
    for (const { name, properties } of deadLettersFirst(queues)) sqs.ensureQueue(name, properties);
    return;
  }
  const client = new SQSClient({
    endpoint: endpoints.sqs,
    region: LOCAL_REGION,
    credentials: localCredentials,
  });
  for (const { name } of queues) {
    const Attributes = name.endsWith(".fifo") ? { FifoQueue: "true" } : {};
    await client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
  }
  client.destroy();
};

const provisionBuckets = async (buckets: readonly LocalResource[], { s3, endpoints }: EmbeddedServices) => {
  if (s3) {
    for (const { name, properties } of buckets) await s3.ensureBucket(name, properties);
    return;
  }
  const client = new S3Client({
    endpoint: endpoints.s3,
    region: LOCAL_REGION,
    credentials: localCredentials,
    forcePathStyle: true,
  });
  for (const { name } of buckets) {
    await client.send(new CreateBucketCommand({ Bucket: name })).catch((error: unknown) => {
      const isThere = error instanceof S3ServiceException && error.name === "BucketAlreadyOwnedByYou";
      if (!isThere) throw error;
    });
  }
  client.destroy();
};

/** Makes the tables, buckets, queues and secrets of a template, or updates those that exist; data is kept. */
export const provision = async (
  model: LocalModel,
  services: EmbeddedServices,
  settings: LocalSettings,
): Promise<void> => {
  for (const secret of model.secrets) provisionSecret(secret, services, settings);
  const client = new DynamoDBClient({
    endpoint: services.endpoints.dynamoDb,
    region: LOCAL_REGION,
    credentials: localCredentials,
  });
  await Promise.all([
    ...model.tables.map(({ name, properties }) => ensureTable(client, name, properties)),
    provisionQueues(model.queues, services),
    provisionBuckets(model.buckets, services),
  ]);
  client.destroy();
};
