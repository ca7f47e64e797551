import type { MiddlewareObj, Request } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { Credential } from "../accounts/access/api-keys.ts";
import type { Caller } from "../accounts/access/caller.ts";
import type { Admission } from "../accounts/limits/admission.ts";
import type { Endpoint, PreparedRequest } from "./endpoint.ts";
import type { IdempotencyLock } from "./idempotency/idempotency-store.ts";
import type { HttpResponse } from "./response.ts";

/** Where requests enter: at API Gateway's REST API, or at a function's own address. */
export type EntryPoint = "rest-api" | "function-url";

/**
 * A request as the pipeline works on it, whichever its entry point: API Gateway's event, and what the steps have found
 * out so far.
 */
export interface HttpEvent extends APIGatewayProxyEvent {
  /** Only the REST API has an authorizer in front of it. */
  readonly entryPoint: EntryPoint;
  requestId: string;
  /** Found by the router. */
  endpoint: Endpoint | undefined;
  /** The token or key, for operations that ask for one: a token's signature and expiry are right, a key's checksum is. */
  credential: Credential | undefined;
  /** Whose it is, once the request was counted: it stands. */
  caller: Caller | undefined;
  /** What the body says, read in the encoding that the operation declares; `undefined` without a body. */
  parsedBody: unknown;
  /** The validated request, ready to be executed. */
  prepared: PreparedRequest | undefined;
  /** The lock of its `Idempotency-Key`, when it is the first request with it. */
  idempotencyLock: IdempotencyLock | undefined;
  /** The response of the first one, when it is not. */
  replayed: HttpResponse | undefined;
  /** What the limiter said, once the request was counted. */
  admission: Admission | undefined;
  /** In milliseconds of `performance.now()`. */
  readonly receivedAt: number;
}

/** A request as the middlewares see it. */
export type HttpRequest = Request<HttpEvent, HttpResponse, Error, Context>;

/** A step of the pipeline. */
export type HttpMiddleware = MiddlewareObj<HttpEvent, HttpResponse, Error, Context>;

type Values = Record<string, string | undefined>;

/** Events of a function URL have payload format 2.0. */
const isFunctionUrlEvent = (
  event: APIGatewayProxyEvent | APIGatewayProxyEventV2,
): event is APIGatewayProxyEventV2 => "version" in event && event.version === "2.0";

/**
 * A function URL's event (payload format 2.0) in the form of the REST API's, so that one pipeline serves both entry
 * points. A function URL matches no routes: the resource is the path itself.
 */
const fromFunctionUrlEvent = (event: APIGatewayProxyEventV2): APIGatewayProxyEvent => {
  const { requestContext, rawPath, queryStringParameters } = event;
  const { http } = requestContext;
  return {
    resource: rawPath,
    path: rawPath,
    httpMethod: http.method,
    headers: event.headers,
    // What was sent several times stands in one line already.
    multiValueHeaders: {},
    queryStringParameters: queryStringParameters ?? null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    body: event.body ?? null,
    isBase64Encoded: event.isBase64Encoded,
    requestContext: {
      accountId: requestContext.accountId,
      apiId: requestContext.apiId,
      authorizer: null,
      domainName: requestContext.domainName,
      domainPrefix: requestContext.domainPrefix,
      protocol: http.protocol,
      httpMethod: http.method,
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
        sourceIp: http.sourceIp,
        user: null,
        userAgent: http.userAgent,
        userArn: null,
      },
      path: rawPath,
      stage: requestContext.stage,
      requestId: requestContext.requestId,
      requestTimeEpoch: requestContext.timeEpoch,
      resourceId: "",
      resourcePath: rawPath,
    },
  };
};

/**
 * Headers by their names in lower case. One that was sent several times has all its values, in one line (RFC 9110, 5.3),
 * as function URLs hand them on; the REST API's own `headers` would keep the last and hide the others.
 */
const readHeaders = ({
  headers,
  multiValueHeaders,
}: Pick<APIGatewayProxyEvent, "headers" | "multiValueHeaders">): Values => {
  const read = new Map<string, string | undefined>();
  for (const name in headers) read.set(name.toLowerCase(), headers[name]);
  const all = new Map<string, string>();
  for (const name in multiValueHeaders) {
    const values = multiValueHeaders[name];
    if (!values) continue;
    const known = all.get(name.toLowerCase());
    all.set(name.toLowerCase(), [...(known === undefined ? [] : [known]), ...values].join(", "));
  }
  for (const [name, value] of all) read.set(name, value);
  return Object.fromEntries(read);
};

/**
 * A path that ends in `{name+}` stands for many: the resource is then the path itself, as behind a function URL. It has no slash
 * at the end, which API Gateway takes off other paths as well.
 */
const exactResource = ({ resource, pathParameters }: APIGatewayProxyEvent): string =>
  resource.replace(/\{(\w+)\+\}$/, (_, name: string) =>
    (pathParameters?.[name] ?? "").replace(/\/+$/, "").split("/").map(encodeURIComponent).join("/"),
  );

/** The request in an event of the REST API or of a function URL. */
export const toHttpEvent = (event: APIGatewayProxyEvent | APIGatewayProxyEventV2): HttpEvent => {
  const isFunctionUrl = isFunctionUrlEvent(event);
  const request = isFunctionUrl ? fromFunctionUrlEvent(event) : event;
  return {
    ...request,
    resource: exactResource(request),
    headers: readHeaders(request),
    entryPoint: isFunctionUrl ? "function-url" : "rest-api",
    requestId: request.requestContext.requestId,
    endpoint: undefined,
    credential: undefined,
    caller: undefined,
    parsedBody: undefined,
    prepared: undefined,
    idempotencyLock: undefined,
    replayed: undefined,
    admission: undefined,
    receivedAt: performance.now(),
  };
};
