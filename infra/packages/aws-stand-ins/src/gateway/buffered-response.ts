import { type OutgoingHttpHeaders, validateHeaderName, validateHeaderValue } from "node:http";
import * as z from "zod";
import type { Exchange } from "./exchange.ts";

const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value));

/** The headers of a function's response, in each of the fields that may contain some. */
export const headerFields = {
  headers: z.record(z.string(), headerValue).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(headerValue)).nullish(),
  cookies: z.array(z.string()).nullish(),
};

interface HeaderFields {
  readonly headers?: Readonly<Record<string, string>> | null | undefined;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>> | null | undefined;
  readonly cookies?: readonly string[] | null | undefined;
}

/**
 * Headers that API Gateway keeps for itself: a function's own are delivered as `x-amzn-Remapped-<name>`
 * ("Amazon API Gateway important notes", API Gateway developer guide).
 */
const remapped = new Set([
  "authorization",
  "connection",
  "content-length",
  "date",
  "expect",
  "host",
  "max-forwards",
  "proxy-authenticate",
  "server",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "via",
  "warn",
  "www-authenticate",
  "x-amz-apigw-id",
  "x-amzn-requestid",
]);

/**
 * Merges a function's headers; for a name in both fields the values of `multiValueHeaders` count.
 *
 *
 * @throws TypeError when a name or a value cannot be sent.
 */
export const mergeHeaders = ({ headers, multiValueHeaders, cookies }: HeaderFields): OutgoingHttpHeaders => {
  const merged = new Map<string, readonly [name: string, values: readonly string[]]>();
  for (const [name, value] of Object.entries(headers ?? {})) merged.set(name.toLowerCase(), [name, [value]]);
  for (const [name, values] of Object.entries(multiValueHeaders ?? {}))
    merged.set(name.toLowerCase(), [name, values]);
  if (cookies) merged.set("set-cookie", ["Set-Cookie", cookies]);
  const outgoing: OutgoingHttpHeaders = {};
  for (const [lowerCase, [name, values]] of merged) {
    validateHeaderName(name);
    for (const value of values) validateHeaderValue(name, value);
    outgoing[remapped.has(lowerCase) ? `x-amzn-Remapped-${name}` : name] = [...values];
  }
  return outgoing;
};

/** A complete response. */
interface BufferedResponse {
  readonly statusCode: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

export const statusCodeSchema = z.coerce.number().int().min(200).max(599);

const proxyResponseSchema = z.object({
  statusCode: statusCodeSchema,
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
  headers: headerFields.headers,
  multiValueHeaders: headerFields.multiValueHeaders,
});

/**
 * Reads the response of a function behind a buffered proxy integration (payload format 1.0).
 *
 * @param acceptsBinary whether the first type the caller accepts is one of the API's binary media types; base64
 * reaches other callers unchanged ("Content type conversions", API Gateway developer guide).
 * @returns undefined when it is malformed.
 */
export const readProxyResponse = (payload: Buffer, acceptsBinary: boolean): BufferedResponse | undefined => {
  try {
    const response = proxyResponseSchema.parse(JSON.parse(payload.toString()));
    const isBinary = response.isBase64Encoded === true && acceptsBinary;
    return {
      statusCode: response.statusCode,
      headers: withContentType(mergeHeaders(response)),
      body: Buffer.from(response.body ?? "", isBinary ? "base64" : "utf8"),
    };
  } catch {
    return undefined;
  }
};

/** A body without a declared type is taken for JSON. */
const withContentType = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.keys(headers).some((name) => name.toLowerCase() === "content-type")
    ? headers
    : { ...headers, "Content-Type": "application/json" };

export const sendBuffered = (
  { response }: Exchange,
  { statusCode, headers, body }: BufferedResponse,
): void => {
  response.writeHead(
    statusCode,
    statusCode === 204 ? headers : { ...headers, "content-length": body.length },
  );
  response.end(body);
};
