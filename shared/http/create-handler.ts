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
import { answerPreflight } from "./answer-preflight.ts";
import { type Authorize, authenticate } from "./authenticate.ts";
import type { Endpoint } from "./endpoint.ts";
import { type HttpEvent, toHttpEvent } from "./http-event.ts";
import type { HttpResponse } from "./http-request.ts";
import { identifyRequest } from "./identify-request.ts";
import { logRequest } from "./log-request.ts";
import { parseBody } from "./parse-body.ts";
import { Reply } from "./reply.ts";
import { respondError } from "./respond-error.ts";
import { responseHeaders } from "./response-headers.ts";
import { createRouter } from "./router.ts";
import { sendStream } from "./send-stream.ts";

/** Time kept back for the answer when the function's time is nearly over. */
const reserveMilliseconds = 1_000;

/** What a handler may need beyond its endpoints. */
export interface HandlerOptions {
  /** Checks bearer tokens where no authorizer stands in front of the function: behind a function URL. */
  readonly authorize?: Authorize;
}

const toResponse = (status: number, result: unknown): HttpResponse =>
  result instanceof Reply
    ? {
        statusCode: result.status,
        headers: { ...result.headers, "Content-Type": result.contentType },
        body: result.body,
      }
    : { statusCode: status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(result) };

const carryOut = async (event: HttpEvent, signal: AbortSignal): Promise<HttpResponse> => {
  if (!event.endpoint) throw new AppError("not_found");
  const result = await event.endpoint.handle({
    id: event.requestId,
    headers: event.headers,
    signal,
    body: event.body ?? undefined,
    query: event.queryStringParameters ?? {},
    path: event.pathParameters ?? {},
    caller: event.caller,
  });
  return toResponse(event.endpoint.operation.response.status, result);
};

/**
 * The one middleware stack of every API function, around its endpoints.
 *
 * middy runs `onError` last-attached-first: the error responder makes the answer, headers and log see it, and the
 * stock error handler in front of all only acts should one of ours fail.
 */
const createStack = (endpoints: readonly Endpoint[], { authorize }: HandlerOptions) => {
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
    .use(logRequest())
    .use(responseHeaders())
    .use(respondError())
    .use(httpHeaderNormalizer())
    .use(answerPreflight(router))
    .use(identifyRequest(router))
    .use(authenticate(authorize))
    .use(parseBody())
    .handler((event, _context, { signal }) => carryOut(event, signal));
};

/** A Lambda handler whose answers leave whole. */
export const createBufferedHandler = (endpoints: readonly Endpoint[], options: HandlerOptions = {}) => {
  const stack = createStack(endpoints, options);
  return async (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
    const { body, ...response } = await stack(toHttpEvent(event), context);
    if (typeof body !== "string") throw new Error("A buffered function cannot send a stream.");
    return { ...response, body };
  };
};

/**
 * A Lambda handler whose answers leave as they are made, for functions in response-streaming mode: behind the REST API
 * and behind a function URL alike.
 */
export const createStreamingHandler = (endpoints: readonly Endpoint[], options: HandlerOptions = {}) => {
  const stack = createStack(endpoints, options);
  return awslambda.streamifyResponse<APIGatewayProxyEvent | APIGatewayProxyEventV2>(
    async (event, responseStream, context) => {
      const { body, ...metadata } = await stack(toHttpEvent(event), context);
      await sendStream(awslambda.HttpResponseStream.from(responseStream, metadata), body);
    },
  );
};
