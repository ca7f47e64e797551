import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListBucketsCommand, S3Client } from "@aws-sdk/client-s3";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { localCredentials, localRegion } from "../src/iam/local-account.ts";
import { provision } from "../src/provision.ts";
import { type StandIns, startStandIns } from "../src/stand-ins.ts";
import type { LocalResource } from "../src/template/local-model.ts";

const nothing = { tables: [], buckets: [], queues: [], secrets: [] };

const resource = (name: string, properties: LocalResource["properties"]): LocalResource => ({
  logicalId: `${name}8A1B`,
  name,
  arn: `arn:aws:any:${localRegion}:000000000000:${name}`,
  type: "AWS::Any::Thing",
  properties,
});

const clientOptions = (endpoint: string) => ({
  endpoint,
  region: localRegion,
  credentials: localCredentials,
});

let directory: string;
let standIns: StandIns;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "provision-"));
  standIns = await startStandIns({ dataDirectory: join(directory, "data") });
});
afterEach(async () => {
  await standIns.close();
  await rm(directory, { recursive: true });
});

const secretOf = async (name: string): Promise<string> => {
  const client = new SecretsManagerClient(clientOptions(standIns.endpoints.secrets));
  const { SecretString = "" } = await client.send(new GetSecretValueCommand({ SecretId: name }));
  client.destroy();
  return SecretString;
};

const provisionSecret = (
  properties: LocalResource["properties"],
  secretValue?: Parameters<typeof provision>[2],
) => provision({ ...nothing, secrets: [resource("secret", properties)] }, standIns, secretValue);

describe("A secret of a template", () => {
  it("is generated once, as long as the template says, and stored", async () => {
    await provisionSecret({ GenerateSecretString: { PasswordLength: 64 } });
    const value = await secretOf("secret");
    expect(value).toMatch(/^[\w-]{64}$/);
    await provisionSecret({ GenerateSecretString: { PasswordLength: 64 } });
    expect(await secretOf("secret")).toBe(value);
  });

  it("has 32 characters where the template names no length", async () => {
    await provisionSecret({ GenerateSecretString: {} });
    expect(await secretOf("secret")).toMatch(/^[\w-]{32}$/);
  });

  it("is generated into the document that the template requests", async () => {
    const SecretStringTemplate = JSON.stringify({ username: "admin" });
    await provisionSecret({ GenerateSecretString: { SecretStringTemplate, GenerateStringKey: "password" } });
    expect(JSON.parse(await secretOf("secret"))).toEqual({
      username: "admin",
      password: expect.stringMatching(/^[\w-]{32}$/),
    });
  });

  it("has the value of the template, and before that the one that is given for it", async () => {
    await provisionSecret({ SecretString: "from the template" });
    expect(await secretOf("secret")).toBe("from the template");
    await provisionSecret({ SecretString: "from the template" }, ({ logicalId }) => `for ${logicalId}`);
    expect(await secretOf("secret")).toBe("for secret8A1B");
  });

  it("of which nothing is known is refused by name", async () => {
    await expect(provisionSecret({})).rejects.toThrow("The secret secret8A1B has no value.");
  });
});

describe("A queue of a template", () => {
  it("may name its dead-letter queue before that one's own entry", async () => {
    const deadLetterTargetArn = `arn:aws:sqs:${localRegion}:000000000000:dead`;
    const queues = [
      resource("work", { RedrivePolicy: { deadLetterTargetArn, maxReceiveCount: 3 } }),
      resource("dead", {}),
    ];
    await provision({ ...nothing, queues }, standIns);
    const client = new SQSClient(clientOptions(standIns.endpoints.sqs));
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({
        QueueUrl: standIns.sqs?.queueUrl("work"),
        AttributeNames: ["RedrivePolicy"],
      }),
    );
    client.destroy();
    expect(JSON.parse(Attributes?.["RedrivePolicy"] ?? "")).toMatchObject({ deadLetterTargetArn });
  });
});

describe("Servers that are used in place of stand-ins", () => {
  it("get the buckets and queues of the template by name, again and again", async () => {
    const { sqs, s3, dynamoDb, ses } = standIns.endpoints;
    const borrowed = await startStandIns({
      dataDirectory: join(directory, "other"),
      endpoints: { sqs, s3, dynamoDb, ses },
    });
    expect(borrowed).toMatchObject({ sqs: undefined, s3: undefined, dynamoDb: undefined, ses: undefined });
    expect(borrowed.endpoints).toMatchObject({ sqs, s3, dynamoDb, ses });
    const model = {
      ...nothing,
      buckets: [resource("borrowed-bucket", {})],
      queues: [resource("borrowed.fifo", { FifoQueue: true }), resource("borrowed", {})],
    };
    await provision(model, borrowed);
    await provision(model, borrowed);
    await borrowed.close();

    const storage = new S3Client({ ...clientOptions(s3), forcePathStyle: true });
    const { Buckets } = await storage.send(new ListBucketsCommand({}));
    storage.destroy();
    expect(Buckets?.map(({ Name }) => Name)).toEqual(["borrowed-bucket"]);
    const queues = new SQSClient(clientOptions(sqs));
    for (const name of ["borrowed.fifo", "borrowed"]) {
      const QueueUrl = standIns.sqs?.queueUrl(name);
      const { Attributes } = await queues.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
      );
      expect(Attributes?.["QueueArn"]).toMatch(new RegExp(`:${name.replace(".", "\\.")}$`));
    }
    queues.destroy();
  });

  it("leave nothing running when another stand-in cannot start", async () => {
    const taken = { dataDirectory: join(directory, "taken") };
    const { port } = new URL(standIns.endpoints.s3);
    await expect(startStandIns({ ...taken, s3Port: Number(port) })).rejects.toThrow("EADDRINUSE");
    const started = await startStandIns(taken);
    await started.close();
  });
});
