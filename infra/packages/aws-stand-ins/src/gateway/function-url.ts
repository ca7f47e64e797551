import type { IncomingHttpHeaders } from "node:http";
import type { LambdaFunctionURLEvent } from "aws-lambda";
import { type InvocationResult, maxRequestBytes, requestTooLarge } from "../lambda/invocation.ts";
import type { FunctionUrl, FunctionUrlCors } from "../template/local-model.ts";
import { readFunctionUrlResponse, sendBuffered } from "./buffered-response.ts";
import { type Exchange, signalOfCaller } from "./exchange.ts";
import { type HttpServerOptions, type LocalServer, type Log, startHttpServer } from "./http-server.ts";
import { discard, type Invoke, invokeWithin } from "./invoke.ts";
import { readBody } from "./read-body.ts";
import { httpStreamType, readPrelude, relayStream } from "./relay-stream.ts";
import { formatRequestTime, readHeaders, readQuery } from "./request-fields.ts";
import { mediaTypeOf } from "./responder.ts";

/** Whether the request is a CORS preflight. */
const isPreflight = ({ method, request }: Exchange): boolean =>
  method === "OPTIONS" &&
  request.headers.origin !== undefined &&
  request.headers["access-control-request-method"] !== undefined;

const allowedOrigin = (
  { allowOrigins, allowCredentials }: FunctionUrlCors,
  origin: string,
): string | undefined => {
  // Browsers refuse the asterisk for requests with credentials.
  if (allowOrigins.includes("*")) return allowCredentials ? origin : "*";
  return allowOrigins.includes(origin) ? origin : undefined;
};

/** The headers that a function URL's CORS settings add to a response; none for origins that are not allowed. */
export const corsHeaders = (exchange: Exchange, cors: FunctionUrlCors): Record<string, string> => {
  const { origin } = exchange.request.headers;
  const allowed = origin === undefined ? undefined : allowedOrigin(cors, origin);
  if (allowed === undefined) return {};
  const headers: Record<string, string> = { "Access-Control-Allow-Origin": allowed, Vary: "Origin" };
  if (cors.allowCredentials) headers["Access-Control-Allow-Credentials"] = "true";
  if (cors.exposeHeaders.length > 0) headers["Access-Control-Expose-Headers"] = cors.exposeHeaders.join(",");
  if (!isPreflight(exchange)) return headers;
  headers["Access-Control-Allow-Methods"] = cors.allowMethods.join(",");
  headers["Access-Control-Allow-Headers"] = cors.allowHeaders.join(",");
  if (cors.maxAgeSeconds !== undefined) headers["Access-Control-Max-Age"] = String(cors.maxAgeSeconds);
  return headers;
};

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

type Result<Kind extends InvocationResult["kind"]> = Extract<InvocationResult, { kind: Kind }>;

/** The maximum time of a function; its own timeout, which Lambda enforces, is usually shorter. */
const timeoutMilliseconds = 15 * 60 * 1000;

/** A request that is refused, or that failed, before the response has started. */
interface Refusal {
  readonly status: number;
  readonly body: string;
}

const tooLarge: Refusal = { status: 413, body: JSON.stringify({ Message: requestTooLarge.errorMessage }) };
const failed: Refusal = { status: 502, body: "Internal Server Error" };

/** Handles the requests of a function URL. */
class FunctionUrlGateway {
  /** Host, and port if any, that callers reach the function at. */
  domainName = "localhost";
  readonly #functionUrl: FunctionUrl;
  readonly #invoke: Invoke;
  readonly #log: Log;

  constructor(functionUrl: FunctionUrl, invoke: Invoke, log: Log) {
    this.#functionUrl = functionUrl;
    this.#invoke = invoke;
    this.#log = log;
  }

  async respond(exchange: Exchange): Promise<void> {
    const { response } = exchange;
    const { cors } = this.#functionUrl;
    const headers = cors === undefined ? {} : corsHeaders(exchange, cors);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (cors !== undefined && isPreflight(exchange)) {
      response.writeHead(200, { "content-length": 0 }).end();
      return;
    }
    const refusal = await this.#serve(exchange);
    if (refusal === undefined || response.destroyed) return;
    const { status, body } = refusal;
    response.writeHead(status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  }

  async #serve(exchange: Exchange): Promise<Refusal | undefined> {
    const { functionName, invokeMode } = this.#functionUrl;
    const received = await readBody(exchange, maxRequestBytes);
    if (received.kind === "aborted") return undefined;
    if (received.kind === "too-large") return tooLarge;
    const event = createFunctionUrlEvent(exchange, { domainName: this.domainName, body: received.bytes });
    const caller = invokeMode === "RESPONSE_STREAM" ? { signal: signalOfCaller(exchange) } : {};
    const options = { milliseconds: timeoutMilliseconds, ...caller };
    const result = await invokeWithin(this.#invoke, functionName, event, options);
    if (result === "expired") return this.#fail("did not respond in time");
    if (exchange.response.destroyed) return discard(result);
    return await this.#respond(exchange, result);
  }

  async #respond(exchange: Exchange, result: InvocationResult): Promise<Refusal | undefined> {
    switch (result.kind) {
      case "error":
        if (result.errorType === requestTooLarge.errorType) return tooLarge;
        return this.#fail(`failed with ${result.errorType}`);
      case "buffered":
        return this.#sendBuffered(exchange, result);
      case "stream":
        return await this.#sendStream(exchange, result);
    }
  }

  // AWS would deliver the function's JSON document, or the stream's metadata, as the body. Neither is useful, so a
  // mismatch is refused here, where it is easy to see.
  #sendBuffered(exchange: Exchange, { payload }: Result<"buffered">): Refusal | undefined {
    if (this.#functionUrl.invokeMode === "RESPONSE_STREAM") {
      return this.#fail("responds in one piece, but its URL has the invoke mode RESPONSE_STREAM");
    }
    const response = readFunctionUrlResponse(payload);
    if (response === undefined) return this.#fail("returned a malformed response");
    sendBuffered(exchange, response);
    return undefined;
  }

  async #sendStream({ response }: Exchange, result: Result<"stream">): Promise<Refusal | undefined> {
    const { body, contentType, failure } = result;
    if (this.#functionUrl.invokeMode === "BUFFERED") {
      body.destroy();
      return this.#fail("streams its response, but its URL has the invoke mode BUFFERED");
    }
    const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
    const parsed =
      contentType === httpStreamType
        ? await readPrelude(chunks)
        : { statusCode: 200, headers: { "Content-Type": contentType }, firstBytes: Buffer.alloc(0) };
    if (parsed === undefined) {
      body.destroy();
      return this.#fail("ended before it had streamed a status and headers");
    }
    const end = await relayStream(parsed, { body, chunks, failure }, response);
    if (end === "broken") this.#fail("broke off its stream");
    return undefined;
  }

  #fail(problem: string): Refusal {
    this.#log(`The function ${this.#functionUrl.functionName} ${problem}.`);
    return failed;
  }
}

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
  const gateway = new FunctionUrlGateway(options.functionUrl, options.invoke, options.log);
  const server = await startHttpServer(options, {
    respond: (exchange) => gateway.respond(exchange),
    wordUnreadable: ({ reason }) => ({ body: JSON.stringify({ Message: reason }) }),
  });
  gateway.domainName = new URL(server.url).host;
  return server;
};
