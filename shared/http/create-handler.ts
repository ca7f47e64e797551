import middy from "@middy/core";
import httpErrorHandler from "@middy/http-error-handler";
import httpHeaderNormalizer from "@middy/http-header-normalizer";
import type {
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyResult,
  Context,
} from "aws-lambda";
import { AppError } from "../errors/app-error.ts";
import { errorBody } from "../errors/error-body.ts";
import type { Limiter } from "../limits/limiter.ts";
import {
  inRequestScope,
  openRequestScope,
  type RequestScope,
  requestScope,
} from "../telemetry/request-scope.ts";
import { admitRequest } from "./admit-request.ts";
import { answerPreflight } from "./answer-preflight.ts";
import { type Authorize, authenticate } from "./authenticate.ts";
import type { Endpoint } from "./endpoint.ts";
import { type HttpEvent, toHttpEvent } from "./http-event.ts";
import type { HttpResponse } from "./http-request.ts";
import { identifyRequest } from "./identify-request.ts";
import { logRequest } from "./log-request.ts";
import { limitClassOf } from "./operation.ts";
import { parseBody } from "./parse-body.ts";
import { Reply } from "./reply.ts";
import { respondError } from "./respond-error.ts";
import { responseHeaders } from "./response-headers.ts";
import { createRouter } from "./router.ts";
import { sendStream } from "./send-stream.ts";

/** Time kept back for the answer when the function's time is nearly over. */
const reserveMilliseconds = 1_000;

/** The scope of a request, which must be over shortly before the function's own end breaks it off without a word. */
const openScope = (context: Context): RequestScope =>
  openRequestScope(context.getRemainingTimeInMillis() - reserveMilliseconds);

/** What a handler may need beyond its endpoints. */
export interface HandlerOptions {
  /**
   * Checks bearer tokens where no authorizer stands in front of the function: behind a function URL, and at deprecated
   * routes.
   */
  readonly authorize?: Authorize;
  /** Counts requests. Only a function whose operations are all of the limit class `none` can do without. */
  readonly limiter?: Limiter;
}

const toResponse = (status: number, result: unknown): HttpResponse =>
  result instanceof Reply
    ? {
        statusCode: result.status,
        headers: { ...result.headers, "Content-Type": result.contentType },
        body: result.body,
      }
    : { statusCode: status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(result) };

/** middy's signal ends with the handler; a streamed answer is still leaving then, and has no more time than another. */
const withDeadline = (signal: AbortSignal): AbortSignal => {
  const deadline = requestScope()?.deadline;
  return deadline ? AbortSignal.any([signal, deadline]) : signal;
};

const carryOut = async (
  event: HttpEvent,
  signal: AbortSignal,
  limiter: Limiter | undefined,
): Promise<HttpResponse> => {
  const { endpoint } = event;
  if (!endpoint) throw new AppError("not_found");
  const handling = endpoint.handle({
    id: event.requestId,
    headers: event.headers,
    signal,
    body: event.body ?? undefined,
    query: event.queryStringParameters ?? {},
    path: event.pathParameters ?? {},
    caller: event.caller,
    admit: () => admitRequest(event, endpoint.operation, limiter),
  });
  const result = await handling.catch(async (error: unknown) => {
    // What is refused by its meaning, an unknown language say, or while models are unavailable, never reached one and
    // costs no quota.
    const isSpared = requestScope()?.modelUse === "spared";
    if (error instanceof AppError && (error.status < 500 || isSpared)) await event.returnQuota?.();
    throw error;
  });
  return toResponse(endpoint.operation.response.status, result);
};

/** A function that does not start is noticed at once; one that counts nobody would be noticed by its bill. */
const requireLimiter = (endpoints: readonly Endpoint[], limiter: Limiter | undefined): void => {
  const limited = endpoints.find(({ operation }) => limitClassOf(operation) !== "none");
  if (limited && !limiter) {
    throw new Error(`The operation ${limited.operation.id} is limited: its function needs a limiter.`);
  }
};

/**
 * The one middleware stack of every API function, around its endpoints.
 *
 * middy runs `onError` last-attached-first: the error responder makes the answer, the headers are set on it, and the
 * stock error handler in front of all only acts should one of ours fail.
 *
 * @throws Error when an operation is limited and nothing counts its requests.
 */
const createStack = (endpoints: readonly Endpoint[], { authorize, limiter }: HandlerOptions) => {
  requireLimiter(endpoints, limiter);
  const router = createRouter(endpoints);
  return middy<HttpEvent, HttpResponse, Error, Context>({
    timeoutEarlyInMillis: reserveMilliseconds,
    timeoutEarlyResponse: () => {
      throw new AppError("service_unavailable", { retryAfterSeconds: 30 });
    },
  })
    .use(
      httpErrorHandler({
        logger: false,
        fallbackMessage: JSON.stringify(errorBody(new AppError("internal"), "unknown")),
      }),
    )
    .use(responseHeaders())
    .use(respondError())
    .use(httpHeaderNormalizer())
    .use(answerPreflight(router))
    .use(identifyRequest(router))
    .use(authenticate(authorize))
    .use(parseBody())
    .handler((event, _context, { signal }) => carryOut(event, withDeadline(signal), limiter));
};

/** A Lambda handler whose answers leave whole. */
export const createBufferedHandler = (endpoints: readonly Endpoint[], options: HandlerOptions = {}) => {
  const stack = createStack(endpoints, options);
  return (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> =>
    inRequestScope(openScope(context), async () => {
      const request = toHttpEvent(event);
      const { body, ...response } = await stack(request, context);
      logRequest(request, { status: response.statusCode });
      if (typeof body !== "string") throw new Error("A buffered function cannot send a stream.");
      return { ...response, body };
    });
};

/**
 * A Lambda handler whose answers leave as they are made, for functions in response-streaming mode: behind the REST API
 * and behind a function URL alike.
 */
export const createStreamingHandler = (endpoints: readonly Endpoint[], options: HandlerOptions = {}) => {
  const stack = createStack(endpoints, options);
  return awslambda.streamifyResponse<APIGatewayProxyEvent | APIGatewayProxyEventV2>(
    (event, responseStream, context) =>
      inRequestScope(openScope(context), async () => {
        const request = toHttpEvent(event);
        const { body, ...metadata } = await stack(request, context);
        const stream = awslambda.HttpResponseStream.from(responseStream, metadata);
        let bytes = 0;
        let ended: "whole" | "left" | "failed" = "failed";
        try {
          ended = await sendStream(stream, body, (sent) => {
            bytes += sent;
          });
        } finally {
          logRequest(request, { status: metadata.statusCode, stream: { bytes, ended } });
        }
      }),
  );
};
