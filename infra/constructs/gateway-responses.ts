import {
  ContentHandling,
  type IResource,
  type Method,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  type RestApi,
} from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
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

type ResponseRule = readonly [type: ResponseType, code: ErrorCode, options?: AppErrorOptions];

/**
 * The errors of API Gateway's own responses.
 *
 * For an unknown path API Gateway requires AWS credentials, and takes a bearer token for a broken signature. No route of this API
 * uses AWS credentials, so these all mean 404. The last two are for everything that is not listed; without them the statuses
 * would be API Gateway's own, 504 included.
 */
const rules: readonly ResponseRule[] = [
  [ResponseType.UNAUTHORIZED, "unauthenticated"],
  [ResponseType.ACCESS_DENIED, "forbidden"],
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, "not_found"],
  [ResponseType.INVALID_SIGNATURE, "not_found"],
  [ResponseType.EXPIRED_TOKEN, "not_found"],
  [ResponseType.RESOURCE_NOT_FOUND, "not_found"],
  [ResponseType.REQUEST_TOO_LARGE, "payload_too_large"],
  [ResponseType.THROTTLED, "rate_limited", { retryAfterSeconds: 1 }],
  [ResponseType.QUOTA_EXCEEDED, "rate_limited", { retryAfterSeconds: 60 }],
  [ResponseType.BAD_REQUEST_BODY, "bad_request"],
  [ResponseType.BAD_REQUEST_PARAMETERS, "bad_request"],
  [
    ResponseType.UNSUPPORTED_MEDIA_TYPE,
    "bad_request",
    { message: "The request's Content-Type is not supported." },
  ],
  [ResponseType.INTEGRATION_TIMEOUT, "service_unavailable", unavailable],
  [
    ResponseType.INTEGRATION_FAILURE,
    "external_service_error",
    { message: "The service returned no usable response; try again shortly." },
  ],
  [ResponseType.AUTHORIZER_FAILURE, "service_unavailable", unavailable],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, "service_unavailable", unavailable],
  [ResponseType.WAF_FILTERED, "forbidden", { message: "The firewall refuses requests from this address." }],
  [ResponseType.DEFAULT_4XX, "bad_request"],
  [ResponseType.DEFAULT_5XX, "internal"],
];

/** Formats API Gateway's own responses like all our errors. */
export class GatewayResponses extends Construct {
  constructor(scope: Construct, id: string, api: RestApi) {
    super(scope, id);
    for (const [type, code, options] of rules) {
      const error = new AppError(code, options);
      api.addGatewayResponse(`GatewayResponse${type.responseType}`, {
        type,
        statusCode: String(error.status),
        responseHeaders: gatewayHeaders({
          ...(error.status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
          ...(error.retryAfterSeconds ? { "Retry-After": String(error.retryAfterSeconds) } : {}),
        }),
        templates: { "application/json": JSON.stringify(errorBody(error, requestIdVariable)) },
      });
    }
  }
}

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

const parametersOf = ({ headers }: MockResponse): (readonly [name: string, value: string])[] =>
  Object.entries(gatewayHeaders(headers)).map(([name, value]) => [`method.response.header.${name}`, value]);

/** A template that chooses between the two. A method for each would be another CloudFormation resource for every path. */
const statusTemplate = (usual: MockResponse, toOptions: MockResponse | undefined): string =>
  toOptions
    ? `{ #if($context.httpMethod == "OPTIONS") "statusCode": ${toOptions.status} #else "statusCode": ${usual.status} #end }`
    : JSON.stringify({ statusCode: usual.status });

/**
 * Makes API Gateway respond to all methods that the resource does not have otherwise, without a function and to any caller.
 *
 * @param toOptions the response to `OPTIONS`; by default the usual one
 */
export const addMockMethod = (resource: IResource, usual: MockResponse, toOptions?: MockResponse): Method => {
  const template = statusTemplate(usual, toOptions);
  const responses = [usual, ...(toOptions ? [toOptions] : [])];
  return resource.addMethod(
    "ANY",
    new MockIntegration({
      requestTemplates: Object.fromEntries(contentTypes.map((contentType) => [contentType, template])),
      passthroughBehavior: PassthroughBehavior.NEVER,
      // A template cannot be applied to bytes, and the body of a binary content type would otherwise stay bytes.
      contentHandling: ContentHandling.CONVERT_TO_TEXT,
      integrationResponses: responses.map((response) => ({
        statusCode: String(response.status),
        // The response without a pattern is for every other status.
        ...(response === toOptions ? { selectionPattern: String(response.status) } : {}),
        responseParameters: Object.fromEntries(parametersOf(response)),
        responseTemplates: {
          "application/json": response.body ?? "",
          ...(response.page === undefined ? {} : { "text/html": response.page }),
        },
      })),
    }),
    {
      methodResponses: responses.map((response) => ({
        statusCode: String(response.status),
        responseParameters: Object.fromEntries(parametersOf(response).map(([name]) => [name, true])),
      })),
    },
  );
};
