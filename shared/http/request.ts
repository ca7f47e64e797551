import type { MiddlewareObj, Request } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { Credential } from "../accounts/access/api-keys.ts";
import type { Caller } from "../accounts/access/caller.ts";
import type { Admission } from "../accounts/limits/admission.ts";
import type { ErrorCode } from "../platform/errors/catalogue.ts";
import type { Endpoint, HttpResponse, PreparedRequest } from "./exchange.ts";
import type { IdempotencyLock } from "./idempotency/idempotency-lock.ts";

/** The fields of API Gateway's event that the pipeline reads. */
type GatewayFields = Pick<
  APIGatewayProxyEvent,
  | "body"
  | "headers"
  | "httpMethod"
  | "isBase64Encoded"
  | "pathParameters"
  | "queryStringParameters"
  | "resource"
>;

/** A request as the pipeline sees it, for both entry points, with the results of the steps so far. */
export interface HttpEvent extends GatewayFields {
  /** Where the request entered. Only the REST API has an authorizer in front of it. */
  readonly entryPoint: "rest-api" | "function-url";
  readonly requestContext: {
    readonly authorizer: unknown;
    readonly identity: { sourceIp: string };
    readonly path: string;
    readonly requestId: string;
  };
  requestId: string;
  /** Set by the router. */
  endpoint: Endpoint | undefined;
  /** The verified token or key, for operations that require one. It may have been revoked. */
  credential: Credential | undefined;
  /** Set once the request was counted: the credential is not revoked. */
  caller: Caller | undefined;
  /** The body, decoded as the operation declares; `undefined` without a body. */
  parsedBody: unknown;
  /** The validated request, ready to be executed. */
  prepared: PreparedRequest | undefined;
  /** Set for the first request with an `Idempotency-Key`. */
  idempotencyLock: IdempotencyLock | undefined;
  /** The first response, for a repeated request. */
  replayed: HttpResponse | undefined;
  /** The limiter's decision, once the request was counted. */
  admission: Admission | undefined;
  /** The status of a failed request as we see it; on paths of the APIs of others, the caller may get another one. */
  errorStatus: number | undefined;
  /** The code of the error that the response, or the end of its stream, reports. */
  errorCode: ErrorCode | undefined;
  /** Whether its last line is in the log. */
  isLogged: boolean;
  /** In milliseconds of `performance.now()`. */
  readonly receivedAt: number;
}

/** The prefix of the API's own paths: the stage at its default address, or the base path of a domain. */
export const basePathOf = ({ resource, requestContext }: HttpEvent): string => {
  const own = resource.split("/").length - 1;
  const segments = requestContext.path.replace(/\/$/, "").split("/");
  return segments.slice(0, Math.max(0, segments.length - own)).join("/");
};

/** The argument of a middleware. */
export type HttpRequest = Request<HttpEvent, HttpResponse, Error, Context>;

/** A step of the pipeline. */
export type HttpMiddleware = MiddlewareObj<HttpEvent, HttpResponse, Error, Context>;

const isFunctionUrlEvent = (
  event: APIGatewayProxyEvent | APIGatewayProxyEventV2,
): event is APIGatewayProxyEventV2 => "version" in event && event.version === "2.0";

/**
 * Converts a function URL's event (payload format 2.0) to the REST API's format, so one pipeline serves both. A function
 * URL has no routes: the resource is the path. It already joins repeated headers into one line.
 */
const fromFunctionUrlEvent = ({ requestContext, ...event }: APIGatewayProxyEventV2) => ({
  resource: event.rawPath,
  httpMethod: requestContext.http.method,
  headers: event.headers,
  multiValueHeaders: {},
  queryStringParameters: event.queryStringParameters ?? null,
  pathParameters: null,
  body: event.body ?? null,
  isBase64Encoded: event.isBase64Encoded,
  requestContext: {
    authorizer: null,
    identity: { sourceIp: requestContext.http.sourceIp },
    path: event.rawPath,
    requestId: requestContext.requestId,
  },
});

/**
 * Headers by lower-case name. Repeated headers are joined into one line (RFC 9110, 5.3), as function URLs do; the REST
 * API's own `headers` has only the last value.
 */
const readHeaders = ({
  headers,
  multiValueHeaders,
}: Pick<APIGatewayProxyEvent, "headers" | "multiValueHeaders">): Record<string, string | undefined> => {
  const read = new Map<string, string | undefined>();
  for (const name in headers) read.set(name.toLowerCase(), headers[name]);
  const joined = new Map<string, string>();
  for (const name in multiValueHeaders) {
    const values = multiValueHeaders[name];
    if (!values) continue;
    const earlier = joined.get(name.toLowerCase());
    joined.set(name.toLowerCase(), [...(earlier === undefined ? [] : [earlier]), ...values].join(", "));
  }
  for (const [name, value] of joined) read.set(name, value);
  return Object.fromEntries(read);
};

/**
 * The resource of a path that ends in `{name+}` is the request's own path, as at a function URL, without a trailing slash.
 * API Gateway removes that slash from other paths as well.
 */
const exactResource = ({ resource, pathParameters }: GatewayFields): string =>
  resource.replace(/\{(\w+)\+\}$/, (_, name: string) =>
    (pathParameters?.[name] ?? "").replace(/\/+$/, "").split("/").map(encodeURIComponent).join("/"),
  );

/** The results of the steps, before the first of them. */
const beforeAllSteps = () => ({
  endpoint: undefined,
  credential: undefined,
  caller: undefined,
  parsedBody: undefined,
  prepared: undefined,
  idempotencyLock: undefined,
  replayed: undefined,
  admission: undefined,
  errorStatus: undefined,
  errorCode: undefined,
  isLogged: false,
  receivedAt: performance.now(),
});

/** A request of one operation within another request, from the same caller. */
export interface InnerRequest extends Pick<HttpEvent, "body" | "headers" | "pathParameters" | "requestId"> {
  readonly method: string;
  /** The operation's path, with the names of its parameters. */
  readonly resource: string;
  readonly query: HttpEvent["queryStringParameters"];
  /** The fields of a form, which are not encoded within a function. */
  readonly form?: unknown;
  readonly sourceAddress: string;
  readonly basePath: string;
}

/** An event that takes the same way through the pipeline as if the caller had sent the request on its own. */
export const toInnerEvent = (inner: InnerRequest): HttpEvent => {
  const { method, resource, query, form, sourceAddress, basePath, ...request } = inner;
  return {
    ...beforeAllSteps(),
    ...request,
    resource,
    httpMethod: method,
    queryStringParameters: query,
    isBase64Encoded: false,
    parsedBody: form,
    entryPoint: "rest-api",
    requestContext: {
      authorizer: null,
      identity: { sourceIp: sourceAddress },
      path: `${basePath}${resource}`,
      requestId: inner.requestId,
    },
  };
};

/** Reads an event of the REST API or of a function URL. */
export const toHttpEvent = (event: APIGatewayProxyEvent | APIGatewayProxyEventV2): HttpEvent => {
  const isFunctionUrl = isFunctionUrlEvent(event);
  const request = isFunctionUrl ? fromFunctionUrlEvent(event) : event;
  return {
    ...request,
    resource: exactResource(request),
    headers: readHeaders(request),
    entryPoint: isFunctionUrl ? "function-url" : "rest-api",
    requestId: request.requestContext.requestId,
    ...beforeAllSteps(),
  };
};
