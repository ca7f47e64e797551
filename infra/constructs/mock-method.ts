import {
  ContentHandling,
  type IResource,
  type Method,
  MockIntegration,
  PassthroughBehavior,
} from "aws-cdk-lib/aws-apigateway";
import { gatewayHeaders } from "./gateway-responses.ts";

/** An answer that API Gateway gives without a function. */
export interface MockAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON in which API Gateway fills in its variables; none for an empty body. */
  readonly body?: string;
}

/**
 * What bodies callers may send along. A mock needs a template for the request's content type, even though it ignores the
 * body: with none, the body itself would be taken for the mock's settings, and the answer would be an error.
 */
const contentTypes = [
  "application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "application/octet-stream",
  "text/plain",
];

/** Makes API Gateway answer a method by itself, for anybody. */
export const addMockMethod = (
  resource: IResource,
  httpMethod: "ANY" | "OPTIONS",
  { status, headers, body }: MockAnswer,
): Method => {
  const statusCode = String(status);
  const responseHeaders = Object.entries(gatewayHeaders(headers)).map(
    ([name, value]) => [`method.response.header.${name}`, value] as const,
  );
  const template = JSON.stringify({ statusCode: status });
  return resource.addMethod(
    httpMethod,
    new MockIntegration({
      requestTemplates: Object.fromEntries(contentTypes.map((contentType) => [contentType, template])),
      passthroughBehavior: PassthroughBehavior.NEVER,
      // A template cannot be applied to bytes, which is what a binary content type's body would stay otherwise.
      contentHandling: ContentHandling.CONVERT_TO_TEXT,
      integrationResponses: [
        {
          statusCode,
          responseParameters: Object.fromEntries(responseHeaders),
          responseTemplates: { "application/json": body ?? "" },
        },
      ],
    }),
    {
      methodResponses: [
        {
          statusCode,
          responseParameters: Object.fromEntries(responseHeaders.map(([name]) => [name, true])),
        },
      ],
    },
  );
};
