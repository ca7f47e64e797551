import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decide } from "../src/iam/policy.ts";
import type { LocalModel } from "../src/template/local-model.ts";
import { readAssembly } from "../src/template/read-assembly.ts";
import { type SynthesisedApplication, synthesiseApplication } from "./gateway-application.ts";

const addresses = {
  queues: "http://127.0.0.1:9324",
  functionUrl: () => "http://127.0.0.1:3001/",
};

// The CDK writes references between stacks in two ways, by a feature flag.
describe.each(["strong", "weak"])(
  "A synthesised application with %s references between its stacks",
  (strength) => {
    let application: SynthesisedApplication;
    let model: LocalModel;

    beforeAll(() => {
      application = synthesiseApplication({
        context: { "@aws-cdk/core:defaultCrossStackReferences": strength },
      });
      model = readAssembly(application.directory, addresses);
    });
    afterAll(() => application.remove());

    it("has its functions, with their settings and the names of what they use", () => {
      expect(model.functions.map(({ name }) => name).sort()).toEqual([
        "authorizer",
        "chat",
        "echo",
        "remembered",
        "worker",
      ]);
      const [table, bucket, secret] = [model.tables[0], model.buckets[0], model.secrets[0]];
      expect(model.functions.find(({ name }) => name === "chat")).toEqual({
        logicalId: expect.stringMatching(/^Chat/),
        name: "chat",
        arn: "arn:aws:lambda:us-east-1:000000000000:function:chat",
        assetDirectory: application.codeDirectory,
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

    it("delivers the queue's messages to the worker", () => {
      expect(model.eventSources).toEqual([
        {
          logicalId: expect.any(String),
          queueName: model.queues[1]?.name,
          functionName: "worker",
          batchSize: 5,
          reportBatchItemFailures: true,
        },
      ]);
    });

    it("has the function URL with its invoke mode and its CORS settings", () => {
      expect(model.functionUrls).toEqual([
        {
          logicalId: expect.any(String),
          functionName: "chat",
          invokeMode: "RESPONSE_STREAM",
          cors: {
            allowOrigins: ["https://app.example"],
            allowMethods: ["*"],
            allowHeaders: [],
            exposeHeaders: [],
            allowCredentials: false,
            maxAgeSeconds: 60,
          },
        },
      ]);
    });

    it("has the stage and the binary media types of the API", () => {
      expect(model.restApi).toMatchObject({
        stage: "v2",
        stageVariables: { colour: "blue" },
        binaryMediaTypes: ["multipart/form-data", "audio/*"],
      });
    });

    it("has every route with its whole path, its function and its authorizer", () => {
      const route = (method: string, path: string) =>
        model.restApi.routes.find((candidate) => candidate.method === method && candidate.path === path);
      expect(route("GET", "/items/{id}")).toMatchObject({
        pathParameters: ["id"],
        integration: {
          type: "lambda",
          functionName: "echo",
          timeoutMilliseconds: 29_000,
          transferMode: "buffered",
        },
        authorizer: {
          functionName: "authorizer",
          identitySources: [{ from: "header", name: "Authorization" }],
          cacheSeconds: 0,
        },
      });
      expect(route("ANY", "/files/{proxy+}")).toMatchObject({
        pathParameters: ["proxy"],
        authorizer: undefined,
      });
      expect(route("POST", "/chat")?.integration).toEqual({
        type: "lambda",
        functionName: "chat",
        timeoutMilliseconds: 300_000,
        transferMode: "stream",
      });
      expect(route("OPTIONS", "/")?.integration).toMatchObject({
        type: "mock",
        requestTemplates: { "application/json": "{ statusCode: 200 }" },
        responses: [{ statusCode: 204, headers: { "Access-Control-Max-Age": "'3600'" } }],
      });
    });

    it("has the gateway responses, as expressions and templates", () => {
      expect(model.restApi.gatewayResponses).toContainEqual({
        responseType: "UNAUTHORIZED",
        statusCode: 401,
        headers: { "WWW-Authenticate": "'Bearer'", "X-Request-Id": "context.requestId" },
        templates: { "application/json": '{"detail":"Not authenticated","request_id":"$context.requestId"}' },
      });
    });
  },
);
