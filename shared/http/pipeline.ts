import type { Writable } from "node:stream";
import middy from "@middy/core";
import httpErrorHandler from "@middy/http-error-handler";
import type {
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyResult,
  Context,
} from "aws-lambda";
import type { VerifyBearer } from "../accounts/access/verify-bearer.ts";
import type { Limiter } from "../accounts/limits/limiter.ts";
import { AppError } from "../platform/errors/app-error.ts";
import { errorBody } from "../platform/errors/error-body.ts";
import { raceDeadline } from "../platform/outbound/timeouts.ts";
import { versionOf } from "../platform/telemetry/fault-metric.ts";
import { inRequestScope, openRequestScope, requestScope } from "../platform/telemetry/request-scope.ts";
import { authenticate } from "./authenticate.ts";
import { compressResponse } from "./compress-response.ts";
import { respondToPreflight } from "./cors.ts";
import { readDialectQuery } from "./dialect-request.ts";
import { validateRequest } from "./endpoint.ts";
import type { Endpoint, HttpResponse } from "./exchange.ts";
import type { IdempotencyStore } from "./idempotency/idempotency-store.ts";
import { respondOnce } from "./idempotency.ts";
import {
  endRequest,
  limitRequests,
  limitTasks,
  refund,
  refundRequest,
  requireLimits,
} from "./limit-requests.ts";
import { callsModels, type Operation } from "./operation.ts";
import { parseBody } from "./parse-body.ts";
import { type HttpEvent, type HttpMiddleware, toHttpEvent } from "./request.ts";
import { identifyRequest, logResponse, type StreamEnd } from "./request-log.ts";
import { type FormatError, respondError } from "./respond-error.ts";
import { responseHead, responseHeaders, toResponse } from "./response.ts";
import { createRouter, type FurtherEndpoints, routeRequest } from "./router.ts";
import { sendStream } from "./send-stream.ts";
import { requireStreamDomain } from "./stream-domain.ts";

export interface HandlerOptions {
  /** Verifies bearer tokens where no authorizer does: at function URLs, deprecated routes and `/v1`. */
  readonly verifyBearer?: VerifyBearer;
  /** Checks tokens and counts requests. Required unless all operations are of the classes `reading` and `delivery`. */
  readonly limiter?: Limiter;
  /** Stores responses to requests with an `Idempotency-Key`. Without it the header is ignored. */
  readonly idempotencyStore?: IdempotencyStore;
  /** Whether an account may still use the service, checked while a response streams; without it streams just end. */
  readonly isActive?: (userId: number) => Promise<boolean>;
  /** Proves that a request at the function's URL came through the stage's domain for streams; without it all are admitted. */
  readonly originSecret?: string;
  /** Headers of all its responses; by default those of the API, which any site's scripts may call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How errors are rendered; by default as JSON. */
  readonly formatError?: FormatError;
  /** CloudWatch's namespace of its metrics; without it there are none. */
  readonly metricsNamespace?: string | undefined;
  /** Endpoints of paths that few requests have, loaded with the first of these requests. */
  readonly furtherEndpoints?: FurtherEndpoints;
}

/** Time reserved for the response when the function's time nearly ends. */
const reserveMilliseconds = 1_000;

/** Runs a request in a scope that ends shortly before the function's time: then Lambda would send no response. */
const inOwnScope = async <Result>(
  context: Context,
  { metricsNamespace }: HandlerOptions,
  work: () => Promise<Result>,
): Promise<Result> => {
  const milliseconds = context.getRemainingTimeInMillis() - reserveMilliseconds;
  const scope = openRequestScope(milliseconds, {
    metricsNamespace,
    functionVersion: versionOf(context),
    context,
  });
  try {
    return await inRequestScope(scope, work);
  } finally {
    scope.close();
  }
};

/** A replayed response names the server that replied to the first request, so this comes before it is stored. */
const nameModelServer = (operation: Operation, response: HttpResponse): HttpResponse => {
  const servers = requestScope()?.backends.servers;
  if (servers !== undefined && callsModels(operation)) response.headers["X-Model-Server"] = servers;
  return response;
};

/**
 * A use case has as much time as the request's scope; so has the rest of its streamed body.
 *
 * @throws AppError `service_unavailable` when the time has ended.
 */
const executeUseCase = async (
  { endpoint, prepared, replayed }: HttpEvent,
  _context: Context,
  { signal }: { readonly signal: AbortSignal },
): Promise<HttpResponse> => {
  if (replayed) return replayed;
  if (!endpoint || !prepared) throw new AppError("not_found");
  const deadline = requestScope()?.deadline ?? signal;
  try {
    const result = await raceDeadline(deadline, (ending) => prepared.execute(ending));
    const { operation } = endpoint;
    return nameModelServer(operation, toResponse(operation, result));
  } catch (error) {
    if (!deadline.aborted || error !== deadline.reason) throw error;
    throw new AppError("service_unavailable", { retryAfterSeconds: 30, cause: error });
  }
};

/**
 * The steps of a request between its scope and the sending of its response, in this order.
 *
 * Steps with `before` run before the use case. When one of them, or the use case, throws, middy runs `onError` of all
 * steps from the last to the first: the refund is decided, the error becomes a response and gets its headers. The
 * stock error handler at the front acts only if another step fails.
 *
 * @throws Error when an operation is limited and nothing counts its requests, or admits callers unchecked.
 */
export const createPipeline = (
  endpoints: readonly Endpoint[],
  options: HandlerOptions,
  beforeSending: readonly HttpMiddleware[] = [],
) => {
  const { verifyBearer, limiter, idempotencyStore, originSecret = "", headers, formatError } = options;
  const operations = endpoints.map(({ operation }) => operation);
  requireLimits(operations, limiter);
  const router = createRouter(endpoints, async () => {
    const further = (await options.furtherEndpoints?.()) ?? [];
    requireLimits(
      further.map(({ operation }) => operation),
      limiter,
    );
    return further;
  });
  // The request's scope has a deadline, so middy needs no timer of its own.
  return middy<HttpEvent, HttpResponse, Error, Context>({ timeoutEarlyInMillis: 0 })
    .use(
      httpErrorHandler({
        logger: false,
        fallbackMessage: JSON.stringify(errorBody(new AppError("internal"), "unknown")),
      }),
    )
    .use(responseHead())
    .use([...beforeSending])
    .use(responseHeaders(headers))
    .use(respondError(formatError))
    .use(respondToPreflight(router))
    .use(identifyRequest())
    .use(requireStreamDomain(originSecret))
    .use(routeRequest(router))
    .use(authenticate(verifyBearer))
    .use(limitRequests(limiter))
    .use(refund(limiter))
    .use(parseBody(operations))
    .use(readDialectQuery())
    .use(validateRequest())
    .use(respondOnce(idempotencyStore, limiter))
    .use(limitTasks(limiter))
    .handler(executeUseCase);
};

/** Returns a Lambda handler that sends each response as a whole. */
export const createBufferedHandler = (endpoints: readonly Endpoint[], options: HandlerOptions = {}) => {
  const pipeline = createPipeline(endpoints, options);
  return (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> =>
    inOwnScope(context, options, async () => {
      const request = toHttpEvent(event);
      const { body, ...response } = await pipeline(request, context);
      logResponse(request, { status: response.statusCode, headLeftAt: performance.now() });
      await endRequest(options.limiter, request, response.statusCode >= 400);
      if (typeof body !== "string") throw new Error("A buffered function cannot send a stream.");
      const { statusCode, headers } = response;
      return { statusCode, headers, body };
    });
};

/** Two such pauses, with a read that fails in between, are less than ten seconds. */
const activityMilliseconds = 4_000;

/** Ends the request when its account is disabled or deleted meanwhile. @returns what ends the checks. */
const watchAccount = (
  { caller }: HttpEvent,
  isActive: NonNullable<HandlerOptions["isActive"]> | undefined,
): (() => void) => {
  const scope = requestScope();
  if (!isActive || !caller || !scope) return () => undefined;
  const check = async (): Promise<void> => {
    // A failed read is repeated at the next check.
    if (!(await isActive(caller.userId).catch(() => true))) scope.end(new AppError("forbidden"));
  };
  const timer = setInterval(() => void check(), activityMilliseconds);
  return () => clearInterval(timer);
};

/** @returns whether the request has failed, for any reason. */
const respondStreaming = async (
  request: HttpEvent,
  responseStream: Writable,
  { body, ...metadata }: HttpResponse,
  limiter: Limiter | undefined,
): Promise<boolean> => {
  const stream = awslambda.HttpResponseStream.from(responseStream, metadata);
  const headLeftAt = performance.now();
  let bytes = 0;
  let ended: StreamEnd = "failed";
  let failure: AppError | undefined;
  try {
    ended = await sendStream(stream, body, {
      onSent: (sent) => {
        bytes += sent;
      },
      onReportedFailure: (error) => {
        failure = error;
      },
    });
    // The refund among the steps is decided before a stream begins.
    if (failure) {
      request.errorCode = failure.code;
      await refundRequest(limiter, request, failure);
    }
    return metadata.statusCode >= 400 || failure !== undefined;
  } finally {
    logResponse(request, { status: metadata.statusCode, headLeftAt, stream: { bytes, ended } });
  }
};

/**
 * Returns a Lambda handler that streams its responses, for functions in response-streaming mode: behind the REST API
 * and at a function URL.
 */
export const createStreamingHandler = (endpoints: readonly Endpoint[], options: HandlerOptions = {}) => {
  const pipeline = createPipeline(endpoints, options, [compressResponse()]);
  return awslambda.streamifyResponse<APIGatewayProxyEvent | APIGatewayProxyEventV2>(
    (event, responseStream, context) =>
      inOwnScope(context, options, async () => {
        const request = toHttpEvent(event);
        let hasFailed = true;
        let endWatch = (): void => undefined;
        try {
          const response = await pipeline(request, context);
          if (typeof response.body !== "string") endWatch = watchAccount(request, options.isActive);
          hasFailed = await respondStreaming(request, responseStream, response, options.limiter);
        } finally {
          endWatch();
          await endRequest(options.limiter, request, hasFailed);
        }
      }),
  );
};
