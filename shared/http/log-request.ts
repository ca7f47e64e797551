import { logger } from "../telemetry/logger.ts";
import { metricEnvelope, type RequestMetrics } from "../telemetry/request-metrics.ts";
import { type RequestScope, requestScope } from "../telemetry/request-scope.ts";
import type { HttpEvent } from "./http-event.ts";

/** How an answer left. */
export interface AnswerOutcome {
  readonly status: number;
  /** Of a stream: how much of it left, and how it ended. `left` is a reader who went away. */
  readonly stream?: { readonly bytes: number; readonly ended: "whole" | "left" | "failed" };
}

/** Operations are told apart by their ids; what met no route is counted together. */
const noOperation = "none";

let isColdStart = true;

/** How long models were waited for, where any was asked; of a streamed answer, until it began. */
const upstreamOf = (scope: RequestScope | undefined) =>
  scope?.modelUse === "asked" ? { upstream_milliseconds: Math.round(scope.upstreamMilliseconds) } : {};

/**
 * One line for each request, when its answer has left: which operation, by whom, which status, how long. CloudWatch
 * takes the metrics by operation out of the same line.
 */
export const logRequest = (event: HttpEvent, { status, stream }: AnswerOutcome): void => {
  const metrics: RequestMetrics = {
    operation: event.endpoint?.operation.id ?? noOperation,
    milliseconds: Math.round(performance.now() - event.receivedAt),
    client_error: status >= 400 && status < 500 ? 1 : 0,
    server_error: status >= 500 || stream?.ended === "failed" ? 1 : 0,
  };
  logger.info("request.answered", {
    request_id: event.requestId,
    account_id: event.caller?.userId,
    door: event.door,
    status,
    cold_start: isColdStart,
    ...upstreamOf(requestScope()),
    ...stream,
    ...metrics,
    ...metricEnvelope(process.env["METRICS_NAMESPACE"]),
  });
  isColdStart = false;
};
