import { type OutgoingHttpHeaders, validateHeaderName, validateHeaderValue } from "node:http";
import * as z from "zod";

const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value));

/** The headers of a function's answer, in each of the fields that may hold some. */
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
 * Merges a function's headers; of a name in both places the values of `multiValueHeaders` count.
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
