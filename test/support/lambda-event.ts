import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";

/** What a test says about a request; the rest is as API Gateway sends it. */
export interface TestRequest {
  readonly method?: string;
  readonly path: string;
  /** The whole path that the caller sent, with the stage in front; by default `path`. */
  readonly publicPath?: string;
  readonly headers?: Record<string, string>;
  /** Headers that are sent several times, with all their values. */
  readonly repeatedHeaders?: Record<string, string[]>;
  readonly query?: Record<string, string>;
  readonly pathParameters?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly authorizer?: Record<string, string>;
  /** By default one of the documentation range. */
  readonly sourceAddress?: string;
}

/** The event API Gateway's REST API sends for a request. */
export const lambdaEvent = (request: TestRequest): APIGatewayProxyEvent => ({
  resource: request.path,
  path: request.path,
  httpMethod: request.method ?? "POST",
  headers: {
    ...request.headers,
    ...Object.fromEntries(
      Object.entries(request.repeatedHeaders ?? {}).map(([name, values]) => [name, values.at(-1)]),
    ),
  },
  multiValueHeaders: request.repeatedHeaders ?? {},
  queryStringParameters: request.query ?? null,
  multiValueQueryStringParameters: null,
  pathParameters: request.pathParameters ?? null,
  stageVariables: null,
  body:
    request.body === undefined
      ? null
      : request.body.toString(Buffer.isBuffer(request.body) ? "base64" : undefined),
  isBase64Encoded: Buffer.isBuffer(request.body),
  requestContext: {
    accountId: "000000000000",
    apiId: "api",
    authorizer: request.authorizer ?? null,
    protocol: "HTTP/1.1",
    httpMethod: request.method ?? "POST",
    identity: {
      accessKey: null,
      accountId: null,
      apiKey: null,
      apiKeyId: null,
      caller: null,
      clientCert: null,
      cognitoAuthenticationProvider: null,
      cognitoAuthenticationType: null,
      cognitoIdentityId: null,
      cognitoIdentityPoolId: null,
      principalOrgId: null,
      sourceIp: request.sourceAddress ?? "203.0.113.7",
      user: null,
      userAgent: null,
      userArn: null,
    },
    path: request.publicPath ?? request.path,
    stage: "v1",
    requestId: randomUUID(),
    requestTimeEpoch: Date.now(),
    resourceId: "resource",
    resourcePath: request.path,
  },
});

/** The context of an invocation that has `remainingMilliseconds` left. */
export const lambdaContext = (remainingMilliseconds = 10_000): Context => {
  const deadline = Date.now() + remainingMilliseconds;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: "test",
    functionVersion: "$LATEST",
    invokedFunctionArn: "arn:aws:lambda:us-east-1:000000000000:function:test",
    memoryLimitInMB: "512",
    awsRequestId: randomUUID(),
    logGroupName: "/aws/lambda/test",
    logStreamName: "test",
    getRemainingTimeInMillis: () => deadline - Date.now(),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
};
