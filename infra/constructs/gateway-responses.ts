import { commonResponseHeaders } from "../../shared/http/cors.ts";
import { AppError, type AppErrorOptions } from "../../shared/platform/errors/app-error.ts";
import type { ErrorCode } from "../../shared/platform/errors/catalogue.ts";
import { errorBody } from "../../shared/platform/errors/error-body.ts";

/** API Gateway's own id of a request, as its templates name it. */
export const requestIdVariable = "$context.requestId";

/** Headers of API Gateway's own responses, in its notation: quoted constants and context variables. */
const gatewayHeaders = (additional: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries({ ...commonResponseHeaders, "Cache-Control": "no-store", ...additional }).map(
      ([name, value]) => [name, `'${value}'`],
    ),
  ),
  "X-Request-Id": "context.requestId",
});

const unavailable: AppErrorOptions = {
  message: "The service is temporarily unavailable; try again shortly.",
  retryAfterSeconds: 5,
};

type ResponseRule = readonly [type: string, code: ErrorCode, options?: AppErrorOptions];

/**
 * The errors of API Gateway's own responses.
 *
 * For an unknown path API Gateway requires AWS credentials, and takes a bearer token for a broken signature. No route of this API
 * uses AWS credentials, so these all mean 404. The last two are for everything that is not listed; without them the statuses
 * would be API Gateway's own, 504 included.
 */
const rules: readonly ResponseRule[] = [
  ["UNAUTHORIZED", "unauthenticated"],
  ["ACCESS_DENIED", "forbidden"],
  ["MISSING_AUTHENTICATION_TOKEN", "not_found"],
  ["INVALID_SIGNATURE", "not_found"],
  ["EXPIRED_TOKEN", "not_found"],
  ["RESOURCE_NOT_FOUND", "not_found"],
  ["REQUEST_TOO_LARGE", "payload_too_large"],
  ["THROTTLED", "rate_limited", { retryAfterSeconds: 1 }],
  ["QUOTA_EXCEEDED", "rate_limited", { retryAfterSeconds: 60 }],
  ["BAD_REQUEST_BODY", "bad_request"],
  ["BAD_REQUEST_PARAMETERS", "bad_request"],
  ["UNSUPPORTED_MEDIA_TYPE", "bad_request", { message: "The request's Content-Type is not supported." }],
  ["INTEGRATION_TIMEOUT", "service_unavailable", unavailable],
  [
    "INTEGRATION_FAILURE",
    "external_service_error",
    { message: "The service returned no usable response; try again shortly." },
  ],
  ["AUTHORIZER_FAILURE", "service_unavailable", unavailable],
  ["AUTHORIZER_CONFIGURATION_ERROR", "service_unavailable", unavailable],
  ["WAF_FILTERED", "forbidden", { message: "The firewall refuses requests from this address." }],
  ["DEFAULT_4XX", "bad_request"],
  ["DEFAULT_5XX", "internal"],
];

const withPrefix = (prefix: string, entries: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(entries).map(([name, value]) => [`${prefix}${name}`, value]));

const gatewayResponse = ([type, code, options]: ResponseRule) => {
  const error = new AppError(code, options);
  const headers = gatewayHeaders({
    ...(error.status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
    ...(error.retryAfterSeconds ? { "Retry-After": String(error.retryAfterSeconds) } : {}),
  });
  const response = {
    statusCode: String(error.status),
    responseParameters: withPrefix("gatewayresponse.header.", headers),
    responseTemplates: { "application/json": JSON.stringify(errorBody(error, requestIdVariable)) },
  };
  return [type, response] as const;
};

/** API Gateway's own responses, in the form of all our errors. */
export const gatewayResponses = Object.fromEntries(rules.map(gatewayResponse));

/** A response that API Gateway sends without a function. */
interface MockResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON in which API Gateway replaces its variables; by default the body is empty. */
  readonly body?: string;
  /** HTML instead of the body for a request whose `Accept` has `text/html` first, as that of browsers. */
  readonly page?: string;
}

/**
 * The content types that requests may have. A mock needs a template for the type although it ignores the body: without one, API
 * Gateway reads the body as the mock's settings and responds with an error.
 */
const contentTypes = [
  "application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "application/octet-stream",
  "text/plain",
];

/** A template that chooses between the two: all methods that a path does not have otherwise share one integration. */
const statusTemplate = (usual: MockResponse, toOptions: MockResponse | undefined): string =>
  toOptions
    ? `{ #if($context.httpMethod == "OPTIONS") "statusCode": ${toOptions.status} #else "statusCode": ${usual.status} #end }`
    : JSON.stringify({ statusCode: usual.status });

const integrationResponse = (response: MockResponse) => ({
  statusCode: String(response.status),
  responseParameters: withPrefix("method.response.header.", gatewayHeaders(response.headers)),
  responseTemplates: {
    "application/json": response.body ?? "",
    ...(response.page === undefined ? {} : { "text/html": response.page }),
  },
});

/**
 * An integration with which API Gateway responds without a function and to any caller.
 *
 * @param toOptions the response to `OPTIONS`; by default the usual one
 */
export const mockIntegration = (usual: MockResponse, toOptions?: MockResponse) => {
  const template = statusTemplate(usual, toOptions);
  return {
    type: "mock",
    requestTemplates: Object.fromEntries(contentTypes.map((contentType) => [contentType, template])),
    passthroughBehavior: "never",
    // A template cannot be applied to bytes, and the body of a binary content type would otherwise stay bytes.
    contentHandling: "CONVERT_TO_TEXT",
    responses: {
      default: integrationResponse(usual),
      ...(toOptions ? { [toOptions.status]: integrationResponse(toOptions) } : {}),
    },
  };
};

/** The declaration of a mock's responses: API Gateway only sends headers that are declared. */
export const mockResponses = (...responses: readonly (MockResponse | undefined)[]) =>
  Object.fromEntries(
    responses
      .filter((response) => response !== undefined)
      .map(({ status, headers }) => {
        const names = Object.keys(gatewayHeaders(headers));
        const declared = names.map((name) => [name, { schema: { type: "string" } }]);
        return [status, { description: "Sent without a function", headers: Object.fromEntries(declared) }];
      }),
  );
