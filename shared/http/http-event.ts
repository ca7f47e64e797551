import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from "aws-lambda";
import type { Caller } from "../auth/caller.ts";
import type { Endpoint } from "./endpoint.ts";
import { inRestApiForm } from "./function-url-event.ts";

/**
 * A request as the stack works on it, whichever door it came through: API Gateway's event, and what the middlewares
 * have found out so far.
 */
export interface HttpEvent extends APIGatewayProxyEvent {
  /** Which door it came through. Only the REST API has an authorizer in front of it. */
  readonly door: "rest-api" | "function-url";
  requestId: string;
  /** Found by the router. */
  endpoint: Endpoint | undefined;
  /** Found by the token, for operations that ask for one. */
  caller: Caller | undefined;
  /** Where the caller stands with its limits, once the request was counted. */
  limitHeaders: Readonly<Record<string, string>>;
  /** Takes the request off its account's quota, should it be refused before a model was asked. */
  returnQuota: (() => Promise<void>) | undefined;
  /** In milliseconds of `performance.now()`. */
  readonly receivedAt: number;
}

/** Events of a function URL have payload format 2.0. */
const isFunctionUrlEvent = (
  event: APIGatewayProxyEvent | APIGatewayProxyEventV2,
): event is APIGatewayProxyEventV2 => "version" in event && event.version === "2.0";

/**
 * Headers by their names in lower case. One that was sent several times has all its values, in one line (RFC 9110, 5.3),
 * as function URLs hand them on; the REST API's own `headers` would keep the last and hide the others.
 */
const readHeaders = ({
  headers,
  multiValueHeaders,
}: Pick<APIGatewayProxyEvent, "headers" | "multiValueHeaders">): Record<string, string | undefined> => {
  const read = new Map<string, string[]>();
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    if (values) read.set(name.toLowerCase(), [...(read.get(name.toLowerCase()) ?? []), ...values]);
  }
  const single = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const all = [...read].map(([name, values]) => [name, values.join(", ")]);
  return Object.fromEntries([...single, ...all]);
};

/** The request in an event of the REST API or of a function URL. */
export const toHttpEvent = (event: APIGatewayProxyEvent | APIGatewayProxyEventV2): HttpEvent => {
  const isFunctionUrl = isFunctionUrlEvent(event);
  const request = isFunctionUrl ? inRestApiForm(event) : event;
  return {
    ...request,
    headers: readHeaders(request),
    door: isFunctionUrl ? "function-url" : "rest-api",
    requestId: request.requestContext.requestId,
    endpoint: undefined,
    caller: undefined,
    limitHeaders: {},
    returnQuota: undefined,
    receivedAt: performance.now(),
  };
};
