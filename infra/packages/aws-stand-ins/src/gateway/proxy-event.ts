import type {
  APIGatewayEventRequestContextWithAuthorizer,
  APIGatewayProxyEvent,
  APIGatewayRequestAuthorizerEvent,
} from "aws-lambda";
import { localAccountId, localRegion } from "../iam/local-account.ts";
import type { RestApi, Route } from "../template/local-model.ts";
import type { Exchange } from "./exchange.ts";
import { formatRequestTime, readHeaders, readQuery } from "./request-fields.ts";
import type { Match } from "./router.ts";

/** The `requestContext` as the authorizer sees it: the caller is still unknown. */
export type RequestContext = APIGatewayEventRequestContextWithAuthorizer<undefined>;

/** A request as API Gateway knows it before any response: all of an event but the body. */
export type EventHead = Omit<APIGatewayProxyEvent, "body" | "isBase64Encoded" | "requestContext"> & {
  readonly requestContext: RequestContext;
};

/** The caller. An API without IAM and API keys only knows the address and the program. */
const identify = ({ request, sourceIp }: Exchange): RequestContext["identity"] => ({
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
  sourceIp,
  user: null,
  userAgent: request.headers["user-agent"] ?? null,
  userArn: null,
});

/** Where callers reach an API. */
export interface PublicAddress {
  /** Host, and port if any. */
  readonly domainName: string;
  /** The prefix of every path, such as `/prod`: the stage at an API's default address. May be empty. */
  readonly basePath: string;
}

/**
 * The `requestContext` of a request: its path is the whole one, including the prefix of the API's own paths.
 *
 *
 * @param match undefined when the request has no route.
 */
export const createRequestContext = (
  exchange: Exchange,
  restApi: RestApi,
  { domainName, basePath }: PublicAddress,
  match: Match<Route> | undefined,
): RequestContext => ({
  accountId: localAccountId,
  apiId: restApi.id,
  authorizer: undefined,
  domainName,
  domainPrefix: domainName.split(".", 1)[0],
  extendedRequestId: exchange.extendedRequestId,
  httpMethod: exchange.method,
  identity: identify(exchange),
  path: `${basePath}${exchange.path}`,
  protocol: `HTTP/${exchange.request.httpVersion}`,
  requestId: exchange.requestId,
  requestTime: formatRequestTime(exchange.receivedAt),
  requestTimeEpoch: exchange.receivedAt.getTime(),
  resourceId: match?.route.logicalId ?? "",
  resourcePath: match?.route.path ?? "",
  stage: restApi.stage,
});

/** What both the authorizer and the function get about a request. */
export const createEventHead = (
  exchange: Exchange,
  { stageVariables }: RestApi,
  match: Match<Route>,
  requestContext: RequestContext,
): EventHead => {
  const headers = readHeaders(exchange);
  const query = readQuery(exchange);
  return {
    resource: match.route.path,
    path: exchange.path,
    httpMethod: exchange.method,
    headers: headers.last,
    multiValueHeaders: headers.all,
    queryStringParameters: query?.last ?? null,
    multiValueQueryStringParameters: query?.all ?? null,
    pathParameters: match.pathParameters,
    stageVariables,
    requestContext,
  };
};

/** The event of a Lambda proxy integration (payload format 1.0). */
export const createProxyEvent = (
  head: EventHead,
  body: Buffer,
  isBinary: boolean,
  authorizer: Record<string, unknown> | undefined,
): APIGatewayProxyEvent => {
  const isBase64Encoded = isBinary && body.length > 0;
  return {
    ...head,
    requestContext: { ...head.requestContext, authorizer },
    body: body.length === 0 ? null : body.toString(isBase64Encoded ? "base64" : "utf8"),
    isBase64Encoded,
  };
};

/** The event of a REQUEST authorizer: no body, and empty objects where the proxy event has null. */
export const createAuthorizerEvent = (head: EventHead): APIGatewayRequestAuthorizerEvent => ({
  type: "REQUEST",
  methodArn: methodArnOf(head),
  ...head,
  queryStringParameters: head.queryStringParameters ?? {},
  multiValueQueryStringParameters: head.multiValueQueryStringParameters ?? {},
  pathParameters: head.pathParameters ?? {},
  stageVariables: head.stageVariables ?? {},
});

/** What policies allow or deny: `arn:aws:execute-api:<region>:<account>:<api>/<stage>/<METHOD>/<path>`. */
export const methodArnOf = ({ requestContext, httpMethod, path }: EventHead): string => {
  const api = `${localRegion}:${localAccountId}:${requestContext.apiId}`;
  return `arn:aws:execute-api:${api}/${requestContext.stage}/${httpMethod}${path}`;
};
