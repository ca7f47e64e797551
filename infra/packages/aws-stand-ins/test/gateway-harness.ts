import { PassThrough } from "node:stream";
import type { LocalServer } from "../src/gateway/http-server.ts";
import { httpStreamType } from "../src/gateway/relay-stream.ts";
import { type RestApiOptions, startRestApi } from "../src/gateway/rest-api.ts";
import type { InvocationResult } from "../src/lambda/invocation.ts";
import type { RestApi } from "../src/template/local-model.ts";
import { apiWith, functionWith, type WrittenAssembly, writeAssembly } from "./assembly-fixture.ts";

/** A function with a fixed response. */
export type FakeFunction = (
  event: unknown,
  signal: AbortSignal | undefined,
) => InvocationResult | Promise<InvocationResult>;

export interface FakeInvoker {
  readonly invoke: RestApiOptions["invoke"];
  /** The events a function was called with, in order. */
  eventsOf(functionName: string): readonly unknown[];
}

/** Simulates the Lambda service; functions not listed are missing. */
export const fakeInvoker = (functions: Record<string, FakeFunction>): FakeInvoker => {
  const calls: { functionName: string; event: unknown }[] = [];
  return {
    invoke: async (functionName, event, options) => {
      calls.push({ functionName, event });
      const target = functions[functionName];
      if (target === undefined) throw new Error(`There is no function named ${functionName}.`);
      return await target(event, options?.signal);
    },
    eventsOf: (name) => calls.filter(({ functionName }) => functionName === name).map(({ event }) => event),
  };
};

/** What a buffered function returns. */
export const returned = (value: unknown): InvocationResult => ({
  kind: "buffered",
  payload: Buffer.from(JSON.stringify(value)),
});

/** What a function throws. */
export const thrown = (errorMessage: string, errorType = "Error"): InvocationResult => ({
  kind: "error",
  errorType,
  errorMessage,
});

/** A function that streams bytes of the test's choosing: its result, and the end of the stream that it holds. */
export const rawStream = (contentType = httpStreamType) => {
  const body = new PassThrough();
  let failure: string | undefined;
  const result: InvocationResult = { kind: "stream", contentType, body, failure: () => failure };
  return {
    body,
    result,
    /** Breaks off, as the Lambda service does for a function that fails on the way. */
    breakOff: (reason: string) => {
      failure = reason;
      body.destroy(new Error(reason));
    },
    /** Ends, with a failure that is known only then. */
    endWith: (reason: string) => {
      failure = reason;
      body.end();
    },
  };
};

/** A function that streams an HTTP response, whose metadata it has already written. */
export const streaming = (metadata: object) => {
  const stream = rawStream();
  stream.body.write(`${JSON.stringify(metadata)}${"\0".repeat(8)}`);
  return stream;
};

const uriOf = (name: string) =>
  `arn:aws:apigateway:us-east-1:lambda:path/functions/arn:aws:lambda:us-east-1:000000000000:function:\${stageVariables.${name}}/invocations`;

const lambda = (name: string, integration: object = {}, security: object[] = []) => ({
  security,
  "x-amazon-apigateway-integration": { type: "aws_proxy", uri: uriOf(name), ...integration },
});

const streamed = (timeoutInMillis: number) =>
  lambda("chat", { timeoutInMillis, responseTransferMode: "STREAM" });

const chosenStatus = '{ #if($context.httpMethod == "PATCH") "statusCode": 204 #else "statusCode": 405 #end }';

/** What the stacks say of a known path with an unknown method; to one method it says something else. */
const refusedMethod = {
  "x-amazon-apigateway-integration": {
    type: "mock",
    passthroughBehavior: "never",
    contentHandling: "CONVERT_TO_TEXT",
    requestTemplates: { "application/json": chosenStatus, "multipart/form-data": chosenStatus },
    responses: {
      "204": {
        statusCode: "204",
        responseParameters: { "method.response.header.Accept-Patch": "'application/json'" },
      },
      default: {
        statusCode: "405",
        responseParameters: {
          "method.response.header.Allow": "'GET,OPTIONS'",
          "method.response.header.X-Request-Id": "context.requestId",
        },
        responseTemplates: {
          "application/json": '{"detail":"Method Not Allowed","request_id":"$context.requestId"}',
        },
      },
    },
  },
};

const authorizer = (name: string, authorizerResultTtlInSeconds: number) => ({
  "x-amazon-apigateway-authorizer": {
    type: "request",
    authorizerUri: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
    identitySource: "method.request.header.Authorization",
    authorizerResultTtlInSeconds,
  },
});

const gatewayResponse = (statusCode: string | undefined, template: object, headers = {}) => ({
  statusCode,
  responseParameters: { "gatewayresponse.header.X-Request-Id": "context.requestId", ...headers },
  responseTemplates: { "application/json": JSON.stringify(template) },
});

const remembered = lambda("echo", {}, [{ remembered: [] }]);

/** An API that has one of everything the gateway serves. */
const definition = {
  paths: {
    "/health": { get: lambda("echo"), "x-amazon-apigateway-any-method": refusedMethod },
    "/items/{id}": { get: lambda("echo", {}, [{ token: [] }]) },
    "/items/latest": { get: lambda("echo") },
    "/files/{proxy+}": { "x-amazon-apigateway-any-method": lambda("echo") },
    "/upload": { post: lambda("echo") },
    "/remembered/one": { get: remembered },
    "/remembered/two": { get: remembered },
    "/impatient": { post: lambda("echo", { timeoutInMillis: 60 }) },
    "/chat": { post: streamed(300_000) },
    "/chat/impatient": { post: streamed(60) },
  },
  components: {
    securitySchemes: { token: authorizer("authorizer", 0), remembered: authorizer("remembered", 300) },
  },
  "x-amazon-apigateway-gateway-responses": {
    UNAUTHORIZED: gatewayResponse(
      "401",
      { detail: "Not authenticated", request_id: "$context.requestId" },
      { "gatewayresponse.header.WWW-Authenticate": "'Bearer'" },
    ),
    ACCESS_DENIED: gatewayResponse("403", { detail: "$context.authorizer.reason" }),
    MISSING_AUTHENTICATION_TOKEN: gatewayResponse("404", { detail: "Not Found" }),
    DEFAULT_4XX: gatewayResponse(undefined, { detail: "$context.error.message" }),
  },
  "x-amazon-apigateway-binary-media-types": ["multipart/form-data", "audio/*"],
};

/** Writes an application with that API and its functions. The names in variables have an alias, which does not matter. */
export const writeApplication = (code?: string): WrittenAssembly => {
  const functions = ["echo", "chat", "authorizer", "remembered"].map((name) => [
    name,
    functionWith({ FunctionName: name, Timeout: 20, MemorySize: 256 }),
  ]);
  const variables = { colour: "blue", echo: "echo:live", chat: "chat:live" };
  const Resources = { ...apiWith(definition, variables), ...Object.fromEntries(functions) };
  return writeAssembly([{ Resources }], code);
};

const written = writeApplication();
written.remove();

export const { restApi } = written.model;

export interface TestGateway extends FakeInvoker, LocalServer {
  readonly log: string[];
}

/** Serves the API with fake functions on a free port. */
export const startTestGateway = async (
  functions: Record<string, FakeFunction>,
  { model = { restApi }, ...options }: Partial<RestApiOptions> = {},
): Promise<TestGateway> => {
  const invoker = fakeInvoker(functions);
  const log: string[] = [];
  const server = await startRestApi({
    model,
    invoke: invoker.invoke,
    port: 0,
    host: "127.0.0.1",
    log: (line) => log.push(line),
    ...options,
  });
  return { ...invoker, ...server, log };
};

/** The same API without words of its own for refusals. */
export const wordless: { readonly restApi: RestApi } = { restApi: { ...restApi, gatewayResponses: [] } };
