import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Duration, Stack } from "aws-cdk-lib";
import * as apigateway from "aws-cdk-lib/aws-apigateway";
import * as dynamodb from "aws-cdk-lib/aws-dynamodb";
import * as lambda from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import * as s3 from "aws-cdk-lib/aws-s3";
import * as secretsmanager from "aws-cdk-lib/aws-secretsmanager";
import * as sqs from "aws-cdk-lib/aws-sqs";
import { afterAll, describe, expect, it } from "vitest";
import { decide } from "../src/iam/policy.ts";
import { readAssembly } from "../src/template/read-assembly.ts";

const env = { account: "000000000000", region: "us-east-1" };

/** The stateful part: a table, a bucket, a secret, and an encrypted queue with a dead-letter queue. */
class StatefulStack extends Stack {
  readonly table = new dynamodb.TableV2(this, "Table", {
    partitionKey: { name: "pk", type: dynamodb.AttributeType.STRING },
  });
  readonly audio = new s3.Bucket(this, "Audio");
  readonly secret = new secretsmanager.Secret(this, "TokenSecret", {
    generateSecretString: { passwordLength: 64 },
  });
  readonly failedDeliveries = new sqs.Queue(this, "FailedDeliveries", { fifo: true });
  readonly deliveries = new sqs.Queue(this, "Deliveries", {
    fifo: true,
    encryption: sqs.QueueEncryption.KMS,
    deadLetterQueue: { queue: this.failedDeliveries, maxReceiveCount: 3 },
  });
}

const directory = mkdtempSync(join(tmpdir(), "template-application-"));
afterAll(() => rmSync(directory, { recursive: true }));
const code = join(directory, "code");
mkdirSync(code);
writeFileSync(join(code, "index.mjs"), "");

/** Synthesises two stacks, with functions behind a REST API, a function URL and a queue. */
const synthesise = (strength: string): string => {
  // The library's own check of the template takes longer than all of a test file.
  process.env["CDK_VALIDATION"] = "false";
  const app = new App({
    outdir: join(directory, strength),
    analyticsReporting: false,
    context: {
      "aws:cdk:disable-asset-staging": true,
      "@aws-cdk/core:defaultCrossStackReferences": strength,
    },
  });
  const data = new StatefulStack(app, "Stateful", { env });
  const stack = new Stack(app, "Stateless", { env });
  const addFunction = (functionName: string) =>
    new lambda.Function(stack, functionName, {
      functionName,
      runtime: lambda.Runtime.NODEJS_24_X,
      handler: "index.handler",
      code: lambda.Code.fromAsset(code),
      timeout: Duration.seconds(20),
      memorySize: 256,
      environment: {
        TABLE_NAME: data.table.tableName,
        AUDIO_BUCKET: data.audio.bucketName,
        TOKEN_SECRET_ID: data.secret.secretArn,
        QUEUE_URL: data.deliveries.queueUrl,
      },
    });
  const chat = addFunction("chat");
  chat.addFunctionUrl({
    authType: lambda.FunctionUrlAuthType.NONE,
    invokeMode: lambda.InvokeMode.RESPONSE_STREAM,
  });
  const guard = addFunction("guard").currentVersion.addAlias("live");
  addFunction("worker").addEventSource(
    new SqsEventSource(data.deliveries, { batchSize: 5, reportBatchItemFailures: true }),
  );
  const uri = (arn: string) =>
    `arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${arn}/invocations`;
  new apigateway.SpecRestApi(stack, "Api", {
    deployOptions: { stageName: "v2", variables: { chat: `${chat.functionName}:live` } },
    apiDefinition: apigateway.ApiDefinition.fromInline({
      openapi: "3.0.1",
      info: { title: "Sample", version: "1" },
      paths: {
        "/chat": {
          post: {
            security: [{ token: [] }],
            responses: {},
            "x-amazon-apigateway-integration": {
              type: "aws_proxy",
              uri: uri(chat.functionArn.replace(/:[^:]+$/, ":$" + "{stageVariables.chat}")),
              responseTransferMode: "STREAM",
              timeoutInMillis: 300_000,
            },
          },
        },
      },
      components: {
        securitySchemes: {
          token: {
            "x-amazon-apigateway-authorizer": {
              type: "request",
              authorizerUri: uri(guard.functionArn),
              identitySource: "method.request.header.Authorization",
              authorizerResultTtlInSeconds: 0,
            },
          },
        },
      },
    }),
  });
  return app.synth().directory;
};

const addresses = {
  queues: "http://127.0.0.1:9324",
  functionUrl: () => "http://127.0.0.1:3001/",
};

// The CDK writes references between stacks in two ways, by a feature flag.
describe.each(["strong", "weak"])(
  "A synthesised application with %s references between its stacks",
  (strength) => {
    const model = readAssembly(synthesise(strength), addresses);

    it("has its functions, with their settings and the names of what they use", () => {
      expect(model.functions.map(({ name }) => name).sort()).toEqual(["chat", "guard", "worker"]);
      const [table, bucket, secret] = [model.tables[0], model.buckets[0], model.secrets[0]];
      expect(model.functions.find(({ name }) => name === "chat")).toEqual({
        name: "chat",
        arn: "arn:aws:lambda:us-east-1:000000000000:function:chat",
        assetDirectory: code,
        handler: "index.handler",
        timeoutSeconds: 20,
        memoryMegabytes: 256,
        environment: {
          TABLE_NAME: table?.name,
          AUDIO_BUCKET: bucket?.name,
          TOKEN_SECRET_ID: secret?.arn,
          QUEUE_URL: `http://127.0.0.1:9324/000000000000/${model.queues[1]?.name}`,
        },
        role: expect.objectContaining({ name: expect.stringMatching(/^chatservicerole/) }),
      });
    });

    it("has its roles, with the permissions in separate policies and those about what has no local meaning", () => {
      const worker = model.functions.find(({ name }) => name === "worker")?.role.statements ?? [];
      const [, deliveries] = model.queues;
      const may = (action: string, resource = deliveries?.arn ?? "") => decide(worker, { action, resource });
      expect(may("sqs:ReceiveMessage")).toBe("allowed");
      expect(may("sqs:SendMessage")).toBe("implicitly denied");
      expect(may("logs:PutLogEvents", "any")).toBe("allowed");
      expect(may("kms:Decrypt", "any")).toBe("implicitly denied");
    });

    it("names what the template leaves unnamed after its logical id, the same every time", () => {
      const [table] = model.tables;
      expect(table?.name).toMatch(/^table[0-9a-f]{8}$/);
      expect(table?.name).toBe(table?.logicalId.toLowerCase());
      expect(table?.arn).toBe(`arn:aws:dynamodb:us-east-1:000000000000:table/${table?.name}`);
      expect(model.queues.map(({ name }) => name)).toEqual([
        expect.stringMatching(/^faileddeliveries.*\.fifo$/),
        expect.stringMatching(/^deliveries.*\.fifo$/),
      ]);
    });

    it("keeps the properties of what is stored, except those without a local meaning", () => {
      const [failed, deliveries] = model.queues;
      expect(deliveries?.properties).toEqual({
        FifoQueue: true,
        RedrivePolicy: { deadLetterTargetArn: failed?.arn, maxReceiveCount: 3 },
      });
      expect(model.secrets[0]?.properties).toEqual({ GenerateSecretString: { PasswordLength: 64 } });
    });

    it("serves the function at its URL, and delivers the queue's messages to the worker", () => {
      expect(model.functionUrls).toEqual([{ functionName: "chat" }]);
      expect(model.eventSources).toEqual([
        {
          queueName: model.queues[1]?.name,
          functionName: "worker",
          batchSize: 5,
          maxConcurrency: undefined,
          reportBatchItemFailures: true,
        },
      ]);
    });

    it("has its API, whose functions a variable of the stage and an alias name", () => {
      expect(model.restApi).toEqual({
        id: expect.stringMatching(/^api/),
        stage: "v2",
        stageVariables: { chat: "chat:live" },
        binaryMediaTypes: [],
        gatewayResponses: [],
        routes: [
          {
            logicalId: "POST /chat",
            method: "POST",
            path: "/chat",
            integration: {
              type: "lambda",
              functionName: "chat",
              timeoutMilliseconds: 300_000,
              transferMode: "stream",
            },
            authorizer: { functionName: "guard", identityHeaders: ["Authorization"], cacheSeconds: 0 },
          },
        ],
      });
    });
  },
);
