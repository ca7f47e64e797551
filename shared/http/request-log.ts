import { logger } from "../platform/telemetry/logger.ts";
import { measured } from "../platform/telemetry/request-metrics.ts";
import { requestScope } from "../platform/telemetry/request-scope.ts";
import { joinTrace, spanFields } from "../platform/telemetry/trace-context.ts";
import type { Use } from "../platform/telemetry/used-units.ts";
import type { HttpEvent, HttpMiddleware } from "./request.ts";

/** Ids that may be echoed in a header and written to a log as they are. */
const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/** Sets the request's id, the caller's own if it is safe to echo, else API Gateway's, and notes its trace. */
export const identifyRequest = (): HttpMiddleware => ({
  before: ({ event }) => {
    const own = event.headers["x-request-id"];
    if (own && requestIdPattern.test(own)) event.requestId = own;
    const scope = requestScope();
    if (!scope) return;
    scope.requestId = event.requestId;
    scope.span = joinTrace(event.headers["traceparent"]);
  },
});

/** Requests without a route are counted together. */
const operationOf = ({ endpoint }: HttpEvent): string => endpoint?.operation.id ?? "none";

/** A line costs a request 4% of its CPU, so one that ends within this time has a single one. */
const longMilliseconds = 1_000;

/** Its id in API Gateway's own log, where the caller set another, and the caller's trace. */
const originOf = ({ requestId, requestContext: { requestId: gatewayRequestId } }: HttpEvent) => ({
  gateway_request_id: gatewayRequestId === requestId ? undefined : gatewayRequestId,
  ...spanFields(requestScope()?.span),
});

/** Logs a first line for a request that takes long: it shows requests whose function Lambda ended early. */
export const logReceived = (event: HttpEvent): void =>
  requestScope()?.after(longMilliseconds, () => {
    if (event.isLogged) return;
    const operation = operationOf(event);
    logger.info("request.received", { request_id: event.requestId, operation, ...originOf(event) });
  });

export type StreamEnd = "whole" | "client_disconnected" | "failed";

export interface ResponseOutcome {
  readonly status: number;
  /** When the response's head was sent, in milliseconds of `performance.now()`. */
  readonly headLeftAt: number;
  readonly stream?: { readonly bytes: number; readonly ended: StreamEnd };
}

/** What the request has used, if anything: figures only. */
const usedUnits = (): Use | undefined => {
  const { use = {} } = requestScope() ?? {};
  return Object.keys(use).length > 0 ? use : undefined;
};

/**
 * Logs one line for each request when its response was sent. CloudWatch reads the metrics from it, and the function
 * `request-log` the request log of its account.
 */
export const logResponse = (event: HttpEvent, { status, headLeftAt, stream }: ResponseOutcome): void => {
  const headMilliseconds = headLeftAt - event.receivedAt;
  // A document that is not ready is 503 for clients of DeepL, and no fault of the service.
  const judged = event.errorStatus ?? status;
  event.isLogged = true;
  logger.info("request.answered", {
    request_id: event.requestId,
    ...originOf(event),
    account_id: event.credential?.userId ?? requestScope()?.accountId,
    key_id: event.caller?.keyId,
    entry_point: event.entryPoint,
    status,
    code: event.errorCode,
    used: usedUnits(),
    replayed: event.replayed ? true : undefined,
    ...stream,
    ...measured({
      operation: operationOf(event),
      milliseconds: Math.round(performance.now() - event.receivedAt),
      // Parallel calls to models sum up to more than the elapsed time.
      own_milliseconds: Math.max(
        0,
        Math.round(headMilliseconds - (requestScope()?.upstreamMilliseconds ?? 0)),
      ),
      client_error: judged >= 400 && judged < 500 ? 1 : 0,
      server_error: judged >= 500 || stream?.ended === "failed" ? 1 : 0,
    }),
  });
};
