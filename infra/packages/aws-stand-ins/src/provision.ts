import { randomBytes } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand, S3Client, S3ServiceException } from "@aws-sdk/client-s3";
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";
import { ensureTable } from "./dynamodb/ensure-table.ts";
import { localRegion } from "./iam/local-account.ts";
import type { StandIns } from "./stand-ins.ts";
import type { LocalModel, LocalResource } from "./template/local-model.ts";

/** Returns the value of a secret that no template contains; `undefined` for one that should be generated. */
export type SecretValue = (secret: LocalResource) => string | undefined;

const secretProperties = z.object({
  SecretString: z.string().optional(),
  GenerateSecretString: z
    .object({
      PasswordLength: z.int().default(32),
      SecretStringTemplate: z.string().optional(),
      GenerateStringKey: z.string().optional(),
    })
    .optional(),
});

/** A password of letters, digits, `-` and `_`; in a template's JSON document where it has one. */
const generate = ({
  PasswordLength,
  SecretStringTemplate,
  GenerateStringKey,
}: NonNullable<z.output<typeof secretProperties>["GenerateSecretString"]>): string => {
  const password = randomBytes(PasswordLength).toString("base64url").slice(0, PasswordLength);
  if (SecretStringTemplate === undefined || GenerateStringKey === undefined) return password;
  const document = z.record(z.string(), z.unknown()).parse(JSON.parse(SecretStringTemplate));
  return JSON.stringify({ ...document, [GenerateStringKey]: password });
};

const provisionSecret = (secret: LocalResource, { secrets }: StandIns, secretValue: SecretValue): void => {
  const { SecretString, GenerateSecretString } = secretProperties.parse(secret.properties);
  const value = secretValue(secret) ?? SecretString;
  if (value !== undefined) secrets.putSecret(secret.name, value);
  else if (GenerateSecretString) secrets.ensureSecret(secret.name, () => generate(GenerateSecretString));
  else throw new Error(`The secret ${secret.logicalId} has no value.`);
};

/** Dead-letter queues come first: the others name them. */
const deadLettersFirst = (queues: readonly LocalResource[]): LocalResource[] =>
  queues.toSorted(
    (one, other) => Number("RedrivePolicy" in one.properties) - Number("RedrivePolicy" in other.properties),
  );

const clientOptions = (endpoint: string, { credentials }: StandIns) => ({
  endpoint,
  region: localRegion,
  credentials,
});

const provisionQueues = async (queues: readonly LocalResource[], standIns: StandIns) => {
  const { sqs, endpoints } = standIns;
  if (sqs) {
    for (const { name, properties } of deadLettersFirst(queues)) sqs.ensureQueue(name, properties);
    return;
  }
  const client = new SQSClient(clientOptions(endpoints.sqs, standIns));
  for (const { name } of queues) {
    const Attributes = name.endsWith(".fifo") ? { FifoQueue: "true" } : {};
    await client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
  }
  client.destroy();
};

const provisionBuckets = async (buckets: readonly LocalResource[], standIns: StandIns) => {
  const { s3, endpoints } = standIns;
  if (s3) {
    for (const { name, properties } of buckets) await s3.ensureBucket(name, properties);
    return;
  }
  const client = new S3Client({ ...clientOptions(endpoints.s3, standIns), forcePathStyle: true });
  for (const { name } of buckets) {
    await client.send(new CreateBucketCommand({ Bucket: name })).catch((error: unknown) => {
      const exists = error instanceof S3ServiceException && error.name === "BucketAlreadyOwnedByYou";
      if (!exists) throw error;
    });
  }
  client.destroy();
};

/**
 * Creates the tables, buckets, queues and secrets of a template, or updates those that exist; data is preserved.
 * Servers that replace stand-ins get them by name alone, without their settings.
 *
 *
 * @throws Error when a secret is neither in the template nor generated, and `secretValue` does not return it.
 */
export const provision = async (
  model: Pick<LocalModel, "tables" | "buckets" | "queues" | "secrets">,
  standIns: StandIns,
  secretValue: SecretValue = () => undefined,
): Promise<void> => {
  for (const secret of model.secrets) provisionSecret(secret, standIns, secretValue);
  const client = new DynamoDBClient(clientOptions(standIns.endpoints.dynamoDb, standIns));
  await Promise.all([
    ...model.tables.map(({ name, properties }) => ensureTable(client, name, properties)),
    provisionQueues(model.queues, standIns),
    provisionBuckets(model.buckets, standIns),
  ]);
  client.destroy();
};
