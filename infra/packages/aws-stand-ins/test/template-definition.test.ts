// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of stage variables.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Duration, Stack } from "aws-cdk-lib";
import * as apigateway from "aws-cdk-lib/aws-apigateway";
import * as lambda from "aws-cdk-lib/aws-lambda";
import { afterAll, describe, expect, it } from "vitest";
import type { LocalModel } from "../src/template/local-model.ts";
import { readAssembly } from "../src/template/read-assembly.ts";
import { returned, startTestGateway } from "./gateway-harness.ts";

process.env["CDK_VALIDATION"] = "false";
const directory = mkdtempSync(join(tmpdir(), "definition-"));
writeFileSync(join(directory, "index.mjs"), "");
afterAll(() => rmSync(directory, { recursive: true }));

type Functions = Record<"echo" | "chat" | "guard", lambda.Function>;

let syntheses = 0;

/** Synthesises an app with three functions and an API, and reads it. */
const read = (addApi: (stack: Stack, functions: Functions) => void): LocalModel => {
  syntheses += 1;
  const app = new App({ outdir: join(directory, String(syntheses)), analyticsReporting: false });
  const stack = new Stack(app, "Stack");
  const add = (functionName: string) =>
    new lambda.Function(stack, functionName, {
      functionName,
      runtime: lambda.Runtime.NODEJS_24_X,
      handler: "index.handler",
      code: lambda.Code.fromAsset(directory, { exclude: ["*", "!index.mjs"] }),
    });
  addApi(stack, { echo: add("echo"), chat: add("chat"), guard: add("guard") });
  return readAssembly(app.synth().directory);
};

const refusal = '{"detail":"$context.httpMethod","home":"$stageVariables.home/"}';
const chosenStatus =
  '{ #if($context.httpMethod == "OPTIONS") "statusCode": 204 #else "statusCode": 405 #end }';

const lambdaUri = (arn: string, isStream = false) =>
  isStream
    ? `arn:aws:apigateway:us-east-1:lambda:path/2021-11-15/functions/${arn}/response-streaming-invocations`
    : `arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${arn}/invocations`;

/** An operation whose function a variable of the stage names. */
const forwarded = (variable: string, others: object = {}) => ({
  security: [],
  responses: { "200": { description: "" } },
  "x-amazon-apigateway-integration": {
    type: "aws_proxy",
    httpMethod: "POST",
    uri: lambdaUri(`arn:aws:lambda:us-east-1:000000000000:function:\${stageVariables.${variable}}`),
  },
  ...others,
});

const chat = {
  type: "aws_proxy",
  httpMethod: "POST",
  uri: lambdaUri("arn:aws:lambda:us-east-1:000000000000:function:${stageVariables.chat}", true),
  responseTransferMode: "STREAM",
  timeoutInMillis: 300_000,
};

const refused = {
  type: "mock",
  passthroughBehavior: "never",
  contentHandling: "CONVERT_TO_TEXT",
  requestTemplates: { "application/json": chosenStatus },
  responses: {
    "204": { statusCode: "204", responseParameters: {}, responseTemplates: {} },
    default: {
      statusCode: "405",
      responseParameters: { "method.response.header.Allow": "'GET'" },
      responseTemplates: { "application/json": refusal },
    },
  },
};

const unauthorized = {
  statusCode: "401",
  responseParameters: { "gatewayresponse.header.WWW-Authenticate": "'Bearer'" },
  responseTemplates: { "application/json": '{"detail":"Not authenticated"}' },
};

const definition = (guard: string, changes: object = {}) => ({
  openapi: "3.0.1",
  info: { title: "Sample", version: "1" },
  paths: {
    "/items/{id}": {
      get: forwarded("echo", { operationId: "readItem", security: [{ token: [] }] }),
      "x-amazon-apigateway-any-method": { responses: {}, "x-amazon-apigateway-integration": refused },
    },
    "/chat": { post: { responses: {}, "x-amazon-apigateway-integration": chat } },
  },
  components: {
    securitySchemes: {
      token: {
        type: "apiKey",
        name: "Authorization",
        in: "header",
        "x-amazon-apigateway-authtype": "custom",
        "x-amazon-apigateway-authorizer": {
          type: "request",
          authorizerUri: lambdaUri(guard),
          identitySource: "method.request.header.Authorization",
          authorizerResultTtlInSeconds: 0,
        },
      },
    },
  },
  "x-amazon-apigateway-gateway-responses": { UNAUTHORIZED: unauthorized },
  "x-amazon-apigateway-binary-media-types": ["audio/*"],
  ...changes,
});

/** The names in variables have an alias, which does not matter on one machine. */
const stageOf = ({ echo, chat: streaming }: Functions): apigateway.StageOptions => ({
  stageName: "v1",
  variables: {
    home: "https://example.org",
    echo: `${echo.functionName}:live`,
    chat: `${streaming.functionName}:live`,
  },
});

const readDefined = (changes: object = {}): LocalModel =>
  read((stack, functions) => {
    new apigateway.SpecRestApi(stack, "Api", {
      apiDefinition: apigateway.ApiDefinition.fromInline(definition(functions.guard.functionArn, changes)),
      deployOptions: stageOf(functions),
    });
  });

/** The same API with a resource for each of its parts. */
const readResources = (): LocalModel =>
  read((stack, functions) => {
    const api = new apigateway.RestApi(stack, "Api", {
      binaryMediaTypes: ["audio/*"],
      deployOptions: stageOf(functions),
    });
    const authorizer = new apigateway.RequestAuthorizer(stack, "Guard", {
      handler: functions.guard,
      identitySources: [apigateway.IdentitySource.header("Authorization")],
      resultsCacheTtl: Duration.seconds(0),
    });
    const item = api.root.resourceForPath("/items/{id}");
    const echo = new apigateway.LambdaIntegration(functions.echo);
    item.addMethod("GET", echo, { authorizer, operationName: "readItem" });
    const { default: usual, "204": toOptions } = refused.responses;
    item.addMethod(
      "ANY",
      new apigateway.MockIntegration({
        requestTemplates: refused.requestTemplates,
        passthroughBehavior: apigateway.PassthroughBehavior.NEVER,
        contentHandling: apigateway.ContentHandling.CONVERT_TO_TEXT,
        integrationResponses: [{ ...toOptions, selectionPattern: "204" }, usual],
      }),
    );
    api.root.resourceForPath("/chat").addMethod(
      "POST",
      new apigateway.LambdaIntegration(functions.chat, {
        responseTransferMode: apigateway.ResponseTransferMode.STREAM,
        timeout: Duration.minutes(5),
      }),
    );
    api.addGatewayResponse("Unauthorized", {
      type: apigateway.ResponseType.UNAUTHORIZED,
      statusCode: "401",
      responseHeaders: { "WWW-Authenticate": "'Bearer'" },
      templates: unauthorized.responseTemplates,
    });
  });

const withoutIds = ({ restApi: { logicalId: _, id: __, ...restApi } }: LocalModel) => ({
  ...restApi,
  routes: restApi.routes
    .map(({ logicalId: ___, authorizer, ...route }) => ({
      ...route,
      authorizer: authorizer && { ...authorizer, logicalId: "" },
    }))
    .sort((one, other) => `${one.path} ${one.method}`.localeCompare(`${other.path} ${other.method}`)),
});

describe("An API with an OpenAPI document of its own", () => {
  it("is the same API as one with a resource for each route", () => {
    const defined = withoutIds(readDefined());
    expect(defined.routes).toHaveLength(3);
    expect(defined).toEqual(withoutIds(readResources()));
  });

  it("is served by the functions that the stage's variables name, and its templates contain the variables", async () => {
    const allow = { Effect: "Allow", Action: "execute-api:Invoke", Resource: "*" };
    const policyDocument = { Version: "2012-10-17", Statement: [allow] };
    const gateway = await startTestGateway(readDefined(), {
      echo: () => returned({ statusCode: 200, body: '"Oli otya?"' }),
      guard: () => returned({ principalId: "42", policyDocument }),
    });
    try {
      const item = `${gateway.url}/items/7`;
      const anonymous = await fetch(item);
      expect([anonymous.status, await anonymous.json()]).toEqual([401, { detail: "Not authenticated" }]);
      const known = await fetch(item, { headers: { Authorization: "Bearer token" } });
      expect([known.status, await known.json()]).toEqual([200, "Oli otya?"]);
      const other = await fetch(item, { method: "DELETE" });
      expect(other.status).toBe(405);
      expect(await other.json()).toEqual({ detail: "DELETE", home: "https://example.org/" });
      expect((await fetch(item, { method: "OPTIONS" })).status).toBe(204);
    } finally {
      await gateway.close();
    }
  });

  const withOperation = (operation: object) => ({ paths: { "/items": { get: operation } } });

  it.each([
    ["an authorizer for the whole API", { security: [{ token: [] }] }, "authorizers of the whole API"],
    [
      "request validators",
      { "x-amazon-apigateway-request-validator": "all" },
      "request validators are not served",
    ],
    [
      "an unknown authorizer",
      withOperation(forwarded("echo", { security: [{ key: [] }] })),
      "at GET /items is protected",
    ],
    [
      "two authorizers",
      withOperation(forwarded("echo", { security: [{}, {}] })),
      "one authorizer for each method",
    ],
    ["IAM", withOperation(forwarded("echo", { "x-amazon-apigateway-auth": {} })), "IAM authorization"],
    ["a variable that the stage lacks", withOperation(forwarded("nobody")), "at GET /items names nobody"],
    ["a method without an integration", withOperation({ responses: {} }), "x-amazon-apigateway-integration"],
    ["an unknown method", { paths: { "/items": { subscribe: forwarded("echo") } } }, "subscribe"],
  ])("is refused with %s", (_what, changes, message) => {
    expect(() => readDefined(changes)).toThrow(message);
  });
});
