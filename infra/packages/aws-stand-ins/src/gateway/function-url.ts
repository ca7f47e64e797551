import type { IncomingHttpHeaders } from "node:http";
import type { LambdaFunctionURLEvent } from "aws-lambda";
import { maxRequestBytes, requestTooLarge } from "../lambda/invocation.ts";
import type { FunctionUrl } from "../template/local-model.ts";
import type { Exchange } from "./exchange.ts";
import { FunctionTarget } from "./function-target.ts";
import { type HttpServerOptions, type LocalServer, startHttpServer } from "./http-server.ts";
import type { Invoke } from "./invoke.ts";
import { readBody } from "./read-body.ts";
import { formatRequestTime, readHeaders, readQuery } from "./request-fields.ts";
import { mediaTypeOf } from "./responder.ts";

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

/** Compressed bytes are not text; unlike the REST API, a function URL passes them on unchanged. */
const bodyFields = (
  { "content-type": contentType, "content-encoding": coding = "identity" }: IncomingHttpHeaders,
  body: Buffer,
): { body?: string; isBase64Encoded: boolean } => {
  if (body.length === 0) return { isBase64Encoded: false };
  const isBase64Encoded = coding !== "identity" || !isText(mediaTypeOf(contentType));
  return { body: body.toString(isBase64Encoded ? "base64" : "utf8"), isBase64Encoded };
};

/** The event of a request to a function URL (payload format 2.0, "Invoking Lambda function URLs"). */
const createFunctionUrlEvent = (
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
    ...bodyFields(request.headers, body),
  };
};

/** The maximum time of a function; its own timeout, which Lambda enforces, is usually shorter. */
const timeoutMilliseconds = 15 * 60 * 1000;

const tooLarge = { status: 413, body: JSON.stringify({ Message: requestTooLarge.errorMessage }) };
const failed = { status: 502, body: "Internal Server Error" };

const refuse = ({ response }: Exchange, { status, body }: typeof failed): void => {
  if (response.destroyed) return;
  response
    .writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    .end(body);
};

interface FunctionUrlOptions extends HttpServerOptions {
  readonly functionUrl: FunctionUrl;
  readonly invoke: Invoke;
}

/**
 * Serves one function URL on a port of its own, as Lambda does on a host of its own.
 *
 * @throws Error when the port is in use.
 */
export const startFunctionUrl = async (options: FunctionUrlOptions): Promise<LocalServer> => {
  const { functionUrl, invoke, log } = options;
  const target = new FunctionTarget({
    ...functionUrl,
    invoke,
    log,
    timeoutMilliseconds,
    transferMode: "stream",
    takesBareStreams: true,
  });
  let domainName = "localhost";
  const server = await startHttpServer(options, {
    respond: async (exchange) => {
      const received = await readBody(exchange, maxRequestBytes);
      if (received.kind === "aborted") return;
      if (received.kind === "too-large") return refuse(exchange, tooLarge);
      const event = createFunctionUrlEvent(exchange, { domainName, body: received.bytes });
      const fault = await target.respond(exchange, event);
      if (fault) refuse(exchange, fault.type === "REQUEST_TOO_LARGE" ? tooLarge : failed);
    },
    wordUnreadable: ({ reason }) => ({ body: JSON.stringify({ Message: reason }) }),
  });
  domainName = new URL(server.url).host;
  return server;
};
