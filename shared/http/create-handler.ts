import middy from "@middy/core";
import httpErrorHandler from "@middy/http-error-handler";
import httpHeaderNormalizer from "@middy/http-header-normalizer";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { caller } from "../auth/caller.ts";
import { AppError } from "../errors/app-error.ts";
import { errorBody } from "../errors/error-body.ts";
import type { Endpoint } from "./endpoint.ts";
import type { HttpResponse, RequestState } from "./http-request.ts";
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

const toResponse = (status: number, result: unknown): HttpResponse =>
  result instanceof Reply
    ? {
        statusCode: result.status,
        headers: { ...result.headers, "Content-Type": result.contentType },
        body: result.body,
      }
    : { statusCode: status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(result) };

/**
 * The one middleware stack of every API function, around a router over its endpoints.
 *
 * middy runs `onError` last-attached-first: the error responder makes the answer, headers and log see it, and the
 * stock error handler in front of all only acts should one of ours fail.
 */
const createStack = (endpoints: readonly Endpoint[]) => {
  const route = createRouter(endpoints);
  return middy<APIGatewayProxyEvent, HttpResponse, Error, Context, RequestState>({
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
    .use(identifyRequest(route))
    .use(parseBody())
    .handler(async (event, _context, { signal }) => {
      const endpoint = route(event);
      const context = caller.safeParse(event.requestContext.authorizer);
      const result = await endpoint.handle({
        id: event.requestContext.requestId,
        headers: event.headers,
        signal,
        body: event.body ?? undefined,
        query: event.queryStringParameters ?? {},
        path: event.pathParameters ?? {},
        caller: context.success ? context.data : undefined,
      });
      return toResponse(endpoint.operation.response.status, result);
    });
};

/** A Lambda handler whose answers leave whole. */
export const createBufferedHandler = (endpoints: readonly Endpoint[]) => {
  const stack = createStack(endpoints);
  return async (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
    const { body, ...response } = await stack(event, context);
    if (typeof body !== "string") throw new Error("A buffered function cannot send a stream.");
    return { ...response, body };
  };
};

/** A Lambda handler whose answers leave as they are made, for functions in response-streaming mode. */
export const createStreamingHandler = (endpoints: readonly Endpoint[]) => {
  const stack = createStack(endpoints);
  return awslambda.streamifyResponse<APIGatewayProxyEvent>(async (event, responseStream, context) => {
    const { body, ...metadata } = await stack(event, context);
    await sendStream(awslambda.HttpResponseStream.from(responseStream, metadata), body);
  });
};
