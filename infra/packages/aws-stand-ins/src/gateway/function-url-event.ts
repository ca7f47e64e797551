import type { LambdaFunctionURLEvent } from "aws-lambda";
import type { Exchange } from "./exchange.ts";
import { mediaTypeOf } from "./media-types.ts";
import { formatRequestTime, readHeaders, readQuery } from "./request-fields.ts";

/** What a function URL passes on as text; every other type arrives as base64. */
const isText = (mediaType: string): boolean =>
  mediaType.startsWith("text/") || /^application\/(?:json|javascript|xml)$/.test(mediaType);

const joined = (
  fields: Readonly<Record<string, readonly string[]>>,
  separator: string,
): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, values.join(separator)]));

const lowerCaseHeaders = (headers: Readonly<Record<string, readonly string[]>>): Record<string, string[]> => {
  const merged: Record<string, string[]> = {};
  for (const [name, values] of Object.entries(headers)) {
    const key = name.toLowerCase();
    merged[key] = [...(merged[key] ?? []), ...values];
  }
  return merged;
};

const bodyFields = (mediaType: string, body: Buffer): { body?: string; isBase64Encoded: boolean } => {
  if (body.length === 0) return { isBase64Encoded: false };
  const isBase64Encoded = !isText(mediaType);
  return { body: body.toString(isBase64Encoded ? "base64" : "utf8"), isBase64Encoded };
};

/** The event of a request to a function URL (payload format 2.0, "Invoking Lambda function URLs"). */
export const createFunctionUrlEvent = (
  exchange: Exchange,
  { domainName, body }: { domainName: string; body: Buffer },
): LambdaFunctionURLEvent => {
  const { request, path, rawQuery, receivedAt } = exchange;
  const { cookie, ...headers } = lowerCaseHeaders(readHeaders(exchange).all);
  const query = readQuery(exchange);
  const urlId = domainName.split(".", 1)[0] ?? domainName;
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: rawQuery,
    ...(cookie !== undefined && { cookies: cookie.flatMap((value) => value.split(/;\s*/)).filter(Boolean) }),
    headers: joined(headers, ","),
    ...(query !== undefined && { queryStringParameters: joined(query.all, ",") }),
    requestContext: {
      accountId: "anonymous",
      apiId: urlId,
      domainName,
      domainPrefix: urlId,
      http: {
        method: exchange.method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: exchange.sourceIp,
        userAgent: request.headers["user-agent"] ?? "",
      },
      requestId: exchange.requestId,
      routeKey: "$default",
      stage: "$default",
      time: formatRequestTime(receivedAt),
      timeEpoch: receivedAt.getTime(),
    },
    ...bodyFields(mediaTypeOf(request.headers["content-type"]), body),
  };
};
