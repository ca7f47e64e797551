import type { APIGatewayEventIdentity, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from "aws-lambda";

type Values = Record<string, string | undefined>;

const asLists = (values: Values): Record<string, string[]> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value ? [[name, [value]]] : [])));

const identityOf = ({ requestContext: { http } }: APIGatewayProxyEventV2): APIGatewayEventIdentity => ({
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
});

/**
 * A function URL's event (payload format 2.0) in the form of the REST API's, so that one stack serves both doors. A
 * function URL matches no routes: the resource is the path itself.
 */
export const inRestApiForm = (event: APIGatewayProxyEventV2): APIGatewayProxyEvent => {
  const { requestContext, rawPath, queryStringParameters } = event;
  return {
    resource: rawPath,
    path: rawPath,
    httpMethod: requestContext.http.method,
    headers: event.headers,
    multiValueHeaders: asLists(event.headers),
    queryStringParameters: queryStringParameters ?? null,
    multiValueQueryStringParameters: queryStringParameters ? asLists(queryStringParameters) : null,
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
      protocol: requestContext.http.protocol,
      httpMethod: requestContext.http.method,
      identity: identityOf(event),
      path: rawPath,
      stage: requestContext.stage,
      requestId: requestContext.requestId,
      requestTimeEpoch: requestContext.timeEpoch,
      resourceId: "",
      resourcePath: rawPath,
    },
  };
};
